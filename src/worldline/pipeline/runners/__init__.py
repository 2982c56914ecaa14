"""Who works through shards: processes of this machine, or a cluster; nothing else differs."""

from worldline.pipeline.runners.local import LocalRunner
from worldline.pipeline.runners.ray import RayRunner
from worldline.pipeline.runners.runner import Runner

__all__ = ["LocalRunner", "RayRunner", "Runner"]
