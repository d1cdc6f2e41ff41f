"""Rewards of actions that were not taken, estimated from outcomes, and the value of a policy."""

from hornbeam.policy.scores import PolicyScores, policy_scores
from hornbeam.policy.value import PolicyValue, policy_value

__all__ = ["PolicyScores", "PolicyValue", "policy_scores", "policy_value"]
