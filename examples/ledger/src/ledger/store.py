"""Totals by account, kept in a file."""

from pathlib import Path


class Store:
    """Reads the totals at start and writes them after each change."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.totals: dict[str, int] = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                account, total = line.split()
                self.totals[account] = int(total)

    def total(self, account: str) -> int:
        return self.totals.get(account, 0)

    def add(self, account: str, amount: int) -> None:
        self.totals[account] = self.total(account) + amount
        self.path.write_text("".join(f"{name} {total}\n" for name, total in self.totals.items()))
