"""What tests of export and import begin with."""

from __future__ import annotations

import pytest

from memoryos_graph import MemoryService

from ..pipeline.said import Said


@pytest.fixture
def said(service: MemoryService, user_id: str) -> Said:
    return Said(service, user_id)
