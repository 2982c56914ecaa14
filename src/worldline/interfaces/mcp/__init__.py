"""MCP server (Model Context Protocol): agents trace code, check claims and ask a model.

`server.build_server` builds it and `http_transport.serve_http` serves it over HTTP; both need the
extra `mcp`.
"""
