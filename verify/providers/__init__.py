"""The peer provider: who reviews, in which mode, and which step of the chain said so."""
