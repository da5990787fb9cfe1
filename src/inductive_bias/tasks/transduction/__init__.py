"""Transductions: a string, and answers about it at empty tokens, of tasks that need a state, a stack or a tape."""

from inductive_bias.tasks.transduction.rules import RULE_NAMES, RULES, Level, Rule, RuleName
from inductive_bias.tasks.transduction.task import Transduction

__all__ = ["RULES", "RULE_NAMES", "Level", "Rule", "RuleName", "Transduction"]
