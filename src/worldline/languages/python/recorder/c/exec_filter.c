/* Seccomp filter for the runtime of another language, such as Node.

   The dynamic linker loads this library before the runtime (LD_PRELOAD). Its constructor installs
   the filter of the sandbox, so that the filter can forbid `execve`: the process has made its only
   one. child/exec_server.py passes the filter as a file, whose descriptor WORLDLINE_FILTER_FD names.
   Whatever fails ends the process before any code of the runtime. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 16, FAILED = 113 };

static char program[MAX_BYTES];

__attribute__((constructor)) static void
install_filter(void)
{
    const char *name = getenv("WORLDLINE_FILTER_FD");
    if (name == NULL) {
        return; /* the tracer refuses to start without the filter */
    }
    int fd = atoi(name);
    ssize_t size = read(fd, program, sizeof program);
    close(fd);
    if (size <= 0 || (size_t)size == sizeof program) {
        _exit(FAILED);
    }
    struct sock_fprog filter = {(unsigned short)((size_t)size / sizeof(struct sock_filter)),
                                (struct sock_filter *)program};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0 ||
        unsetenv("WORLDLINE_FILTER_FD") < 0 || setenv("WORLDLINE_FILTER", "installed", 1) < 0) {
        _exit(FAILED);
    }
}
