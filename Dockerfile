FROM python:3.12-slim

RUN pip install --no-cache-dir uv
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY memoryos_graph memoryos_graph
COPY api api
COPY cypher cypher
RUN uv pip install --system --no-cache --torch-backend cpu '.[embeddings,speed]' \
 && useradd --uid 10001 --no-create-home memoryos \
 && install --directory --owner memoryos --mode 0700 /data

USER memoryos
WORKDIR /data
ENV HOME=/tmp PYTHONUNBUFFERED=1
EXPOSE 8000
ENTRYPOINT ["memoryos"]
CMD ["serve"]
