/* Memory for the rows of a recording.

   Shared memory is read by the parent process. Its file is sealed against other writers and closed,
   so that the program cannot open it. Written rows remain, whatever happens to the process.

   Private memory is used for all programs of a group, one after the other: its pages are allocated
   once, and the process sends the rows of each program. */

#ifndef WORLDLINE_SHARED_MEMORY_H
#define WORLDLINE_SHARED_MEMORY_H

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

/* Offset of the rows; the memory starts with the number of bytes of complete rows. */
#define ROWS_OFFSET 64

typedef struct {
    char *start;
    size_t size;        /* of the mapping */
    size_t used;        /* bytes of rows */
    size_t populated;   /* bytes whose pages are allocated */
    int64_t bytes_left; /* bytes up to the limit of the trace */
    int is_private;     /* whether the mapping is kept for the next recording */
} SharedMemory;

/* The private memory; `start` is NULL while it is not mapped. */
static SharedMemory private_memory;

/* Map the file, seal it and close it; 0, or -1 with errno. */
static int
memory_open(SharedMemory *memory, int fd, size_t size, int64_t limit)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (start == MAP_FAILED) {
        return -1;
    }
    /* A process that the program forks does not inherit the memory. */
    if (madvise(start, size, MADV_DONTFORK) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ||
        close(fd) < 0) {
        munmap(start, size);
        return -1;
    }
    *memory = (SharedMemory){.start = start, .size = size, .bytes_left = limit};
    return 0;
}

/* Use the private memory, and map it first if that was not done; 0, or -1 with errno. */
static int
memory_open_private(SharedMemory *memory, size_t size, int64_t limit)
{
    if (private_memory.start == NULL) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (start == MAP_FAILED) {
            return -1;
        }
        private_memory = (SharedMemory){.start = start, .size = size, .is_private = 1};
    }
    *memory = private_memory;
    memory->bytes_left = limit;
    return 0;
}

static inline size_t
memory_available(const SharedMemory *memory)
{
    return memory->size - ROWS_OFFSET - memory->used;
}

static inline char *
memory_end(const SharedMemory *memory)
{
    return memory->start + ROWS_OFFSET + memory->used;
}

/* Allocate pages for the next rows, many at once. */
static inline void
memory_prepare(SharedMemory *memory)
{
#ifdef MADV_POPULATE_WRITE
    if (memory->used + 8192 > memory->populated && memory->populated < memory->size) {
        size_t more = memory->populated < 16384     ? 16384
                      : memory->populated < 1 << 18 ? memory->populated
                                                    : 1 << 18;
        size_t rest = memory->size - memory->populated;
        madvise(memory->start + memory->populated, more < rest ? more : rest, MADV_POPULATE_WRITE);
        memory->populated += more;
    }
#endif
}

/* Publish a row of this many bytes that was written at the end. */
static inline void
memory_commit(SharedMemory *memory, size_t size)
{
    memory->used += size;
    atomic_store_explicit((_Atomic uint64_t *)memory->start, memory->used, memory_order_release);
}

static void
memory_close(SharedMemory *memory)
{
    if (memory->start != NULL && memory->is_private) {
        private_memory.populated = memory->populated;
    }
    else if (memory->start != NULL) {
        munmap(memory->start, memory->size);
    }
    memory->start = NULL;
}

#endif
