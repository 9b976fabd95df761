# One target for each app: docker build --target gateway -t quarry-gateway .
# BASE is what the apps run on: Node 24 and nothing else, no shell and no npm. Pin it by digest in production
# (--build-arg BASE=gcr.io/distroless/nodejs24-debian12@sha256:…). Its node must be /nodejs/bin/node.
ARG BASE=gcr.io/distroless/nodejs24-debian12:nonroot
ARG BUILD=node:24-bookworm-slim

FROM ${BUILD} AS build
WORKDIR /src
COPY . .
# Nx would leave a process behind that outlives the step where builders share the processes of their machine.
ENV NX_DAEMON=false
RUN npm ci --include=dev --no-audit --no-fund \
  && npm run build \
  && for app in gateway tables runs-agent jobs-worker admin; do node tools/image-files.mjs "$app" "/files/$app/app"; done

FROM ${BASE} AS base
WORKDIR /app
# Of the container's memory; the rest is buffers, code and stacks. Node's own default leaves no room for them.
ENV NODE_ENV=production NODE_OPTIONS=--max-old-space-size-percentage=60
# The C library gives back what is freed (tools/node-flags.mjs).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node"]

FROM base AS gateway
COPY --from=build /files/gateway/app /app
CMD ["apps/gateway/dist/bundle/main.js"]

FROM base AS tables
COPY --from=build /files/tables/app /app
CMD ["--max-semi-space-size=8", "apps/tables/dist/bundle/main.js"]

FROM base AS runs-agent
COPY --from=build /files/runs-agent/app /app
CMD ["apps/runs-agent/dist/bundle/main.js"]

FROM base AS jobs-worker
COPY --from=build /files/jobs-worker/app /app
CMD ["apps/jobs-worker/dist/bundle/main.js"]

# The operator's command, and the migration: its argument is "migrate" unless another is given.
FROM base AS admin
COPY --from=build /files/admin/app /app
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "apps/admin/dist/bundle/main.js"]
CMD ["migrate"]
