"""`python -m pytest tests/golden --update-goldens` writes the golden files anew; read the diff."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew")
