"""Debug Adapter Protocol: step through recorded and predicted executions in an editor."""

from worldline.interfaces.dap.debug_server import serve_debug_adapter

__all__ = ["serve_debug_adapter"]
