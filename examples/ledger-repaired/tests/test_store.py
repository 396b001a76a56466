"""Totals are the same after a restart."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from ledger.store import Store  # noqa: E402


class RestartTest(unittest.TestCase):
    def test_totals_survive_a_restart(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "totals.txt")
            Store(path).add("rent", 700)
            self.assertEqual(Store(path).total("rent"), 700)

    def test_a_damaged_file_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "totals.txt"
            path.write_text("rent seven hundred\n")
            with self.assertRaisesRegex(ValueError, "totals.txt"):
                Store(str(path))


if __name__ == "__main__":
    unittest.main()
