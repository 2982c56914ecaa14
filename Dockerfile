# Worldline with the packages that its sandbox needs.
#
#     docker build -t worldline .
#     docker run --rm --security-opt seccomp=unconfined --security-opt apparmor=unconfined worldline sandbox check
#     docker run --rm worldline --sandbox container demo
FROM node:22-bookworm-slim AS viewer
WORKDIR /worldline
COPY viewer viewer
COPY docs docs
COPY scripts/build-viewer scripts/build-viewer
RUN scripts/build-viewer
COPY src/worldline/languages/javascript/node src/worldline/languages/javascript/node
COPY scripts/build-javascript scripts/build-javascript
RUN scripts/build-javascript

FROM python:3.12-slim-bookworm AS base
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap libseccomp2 gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home worldline

# For .devcontainer/devcontainer.json: the checkout is mounted, and built there.
FROM base AS development
RUN apt-get update \
    && apt-get install -y --no-install-recommends git iproute2 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=viewer /usr/local/bin/node /usr/local/bin/node
COPY --from=viewer /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx

FROM base
WORKDIR /worldline
COPY . .
COPY --from=viewer /worldline/src/worldline/interfaces/viewer/page src/worldline/interfaces/viewer/page
COPY --from=viewer /worldline/src/worldline/languages/javascript/node/dist src/worldline/languages/javascript/node/dist
# Executes JavaScript and TypeScript programs.
COPY --from=viewer /usr/local/bin/node /usr/local/bin/node
RUN pip install --no-cache-dir '.[openai,runs,trace]'
# Not root: the user of worldline owns nothing but a home folder.
USER worldline
WORKDIR /home/worldline
ENTRYPOINT ["worldline"]
CMD ["sandbox", "check"]
