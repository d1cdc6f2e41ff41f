"""What all tests share: the oracles can be imported as ``oracles``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
