"""A program in a terminal, and what its screen shows in the end."""

import os
import subprocess
import sys

import pytest

needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


def in_terminal(arguments: list[str], columns: int = 100) -> tuple[str, list[str]]:
    """Run Python in a terminal; return what it wrote, and the lines on the screen at the end."""
    import fcntl
    import pty
    import struct
    import termios

    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([sys.executable, *arguments], stdin=its, stdout=its, stderr=its) as running:
        os.close(its)
        written = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux says so that the other end is closed
                break
            if not part:
                break
            written += part
    os.close(ours)
    assert running.returncode == 0, written
    text = written.decode()
    return text, screen(text)


def screen(text: str) -> list[str]:
    """Return the lines that a terminal shows after some text with carriage returns."""
    lines, column = [""], 0
    for character in text:
        if character == "\n":
            lines.append("")
        elif character == "\r":
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + character + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]
