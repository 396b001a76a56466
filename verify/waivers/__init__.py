"""Waivers: findings that somebody answers for until a day that is named, kept visible and not counted."""
