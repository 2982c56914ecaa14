"""Server for agents, with the Model Context Protocol: executions, checks and predictions.

`server.build_server` builds it and `http_transport.serve_http` serves it over HTTP; both need the
extra `mcp`.
"""
