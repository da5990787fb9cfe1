"""Slot filling: which words of a request name a city, a day, a song."""

from inductive_bias.tasks.slots.task import SlotFilling

__all__ = ["SlotFilling"]
