/* Where the rows go: memory that is shared with whoever watches the program, and with nobody else.

   The file behind it is sealed against further writers and closed, so that there is nothing that
   the program could open, and what was written stands whatever happens to the process. */

#ifndef WORLDLINE_MEMORY_H
#define WORLDLINE_MEMORY_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/* The rows begin here; before them stands how many bytes of them are whole. */
#define ROWS_AT 64

typedef struct {
    char *start;
    size_t size;     /* of the whole mapping */
    size_t used;     /* bytes of rows */
    size_t ready;    /* bytes that have memory behind them */
    int64_t left;    /* bytes that the trace may still take */
} Memory;

/* Map the file, seal it and close it; 0, or -1 with errno. */
static int
memory_open(Memory *memory, int fd, size_t size, int64_t limit)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (start == MAP_FAILED) {
        return -1;
    }
    /* A process that the program starts has no such memory. */
    if (madvise(start, size, MADV_DONTFORK) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ||
        close(fd) < 0) {
        munmap(start, size);
        return -1;
    }
    *memory = (Memory){.start = start, .size = size, .left = limit};
    return 0;
}

static inline size_t
memory_room(const Memory *memory)
{
    return memory->size - ROWS_AT - memory->used;
}

static inline char *
memory_end(const Memory *memory)
{
    return memory->start + ROWS_AT + memory->used;
}

/* Have memory behind the next rows, at once rather than a page at a time. */
static inline void
memory_prepare(Memory *memory)
{
#ifdef MADV_POPULATE_WRITE
    if (memory->used + 8192 > memory->ready && memory->ready < memory->size) {
        size_t more = memory->ready < 16384 ? 16384 : memory->ready < 1 << 18 ? memory->ready : 1 << 18;
        size_t rest = memory->size - memory->ready;
        madvise(memory->start + memory->ready, more < rest ? more : rest, MADV_POPULATE_WRITE);
        memory->ready += more;
    }
#endif
}

/* A row of this many bytes stands at the end now: it is part of the trace. */
static inline void
memory_commit(Memory *memory, size_t size)
{
    memory->used += size;
    atomic_store_explicit((_Atomic uint64_t *)memory->start, memory->used, memory_order_release);
}

static void
memory_close(Memory *memory)
{
    if (memory->start != NULL) {
        munmap(memory->start, memory->size);
        memory->start = NULL;
    }
}

#endif
