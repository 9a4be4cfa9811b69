"""Fakes: arrays without bytes; and plans."""
