"""How other programs are reached: bounded, killable, never through a shell."""
