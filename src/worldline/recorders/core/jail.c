/* What holds a program: a process goes in, one that can do little more than compute comes out.

   Each function is one layer, so that what it alone stops can be shown; inner/jail.py has their
   order. Nothing here decides anything: what is allowed comes from outside. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static PyObject *
failed(const char *what)
{
    int error = errno;
    PyErr_Format(PyExc_OSError, "%s: %s", what, strerror(error));
    return NULL;
}

/* -- a process of its own -------------------------------------------------------------------- */

/* How the program's process ended, told by its init; -1 where that could not. */
static int *last_status;

/* The first process of the namespaces: it waits for the program, and when it goes, all go. The
   program is the second, because the first is deaf to its own signals: a crash would be none. */
static void
be_init(void)
{
    pid_t program = fork();
    if (program == 0) {
        munmap(last_status, sizeof *last_status);
        return;
    }
    /* Nothing that the program could wait for is held open here. */
    syscall(SYS_close_range, 0U, ~0U, 0U);
    int status = -1;
    for (pid_t ended = 0; program > 0 && ended != program;) {
        ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno != EINTR) {
            status = -1;
            break;
        }
    }
    *last_status = status;
    _exit(0);
}

PyDoc_STRVAR(spawn_doc,
             "spawn()\n\nFork into namespaces of processes, mounts and IPC of its own. Gives the\n"
             "id of the new init and a pidfd for it; (0, -1) in the program's process.");

static PyObject *
jail_spawn(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    int pidfd = -1;
    struct clone_args args = {
        .flags = CLONE_PIDFD | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC,
        .pidfd = (uint64_t)(uintptr_t)&pidfd,
        .exit_signal = SIGCHLD,
    };
    if (last_status == NULL) {
        void *page = mmap(NULL, sizeof *last_status, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) {
            return failed("no page to say how it ended");
        }
        last_status = page;
    }
    *last_status = -1;
    PyOS_BeforeFork();
    long pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0) {
        be_init();
        PyOS_AfterFork_Child();
        return Py_BuildValue("ii", 0, -1);
    }
    int error = errno;
    PyOS_AfterFork_Parent();
    errno = error;
    return pid < 0 ? failed("no namespaces for the program") : Py_BuildValue("li", pid, pidfd);
}

static PyObject *
jail_status(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (last_status == NULL || *last_status == -1) {
        Py_RETURN_NONE;
    }
    return PyLong_FromLong(*last_status);
}

/* -- layers ---------------------------------------------------------------------------------- */

/* What is mounted from here on, here and in processes that are started, nobody else sees. */
static PyObject *
jail_keep_mounts(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        return failed("no mounts of its own");
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(mount_doc, "mount(path, options)\n\nA file system in memory.");

static PyObject *
jail_mount(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *path, *options;
    if (!PyArg_ParseTuple(args, "ss:mount", &path, &options)) {
        return NULL;
    }
    if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0) {
        return failed("no file system of its own");
    }
    Py_RETURN_NONE;
}

static PyObject *
jail_drop_capabilities(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
        syscall(SYS_capset, &header, none) < 0) {
        return failed("capabilities were not dropped");
    }
    Py_RETURN_NONE;
}

static PyObject *
jail_keep_privileges_down(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return failed("privileges could be gained");
    }
    Py_RETURN_NONE;
}

/* As of the newest kernel; a system's own header may be older. */
typedef struct {
    uint64_t files, network, scopes;
} Handled;

typedef struct {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) Beneath;

enum {
    RULE_PATH_BENEATH = 1,
    ASK_VERSION = 1,
    /* Accesses of a file; the others are of directories only. */
    OF_FILES = 1 | 2 | 4 | 1 << 14 | 1 << 15,
    READ_FILE = 4,
    READ_DIR = 8,
};

static int
landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
}

static PyObject *
jail_landlock_version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyLong_FromLong(landlock_version());
}

static int
allow_beneath(int rules, const char *path, uint64_t allowed)
{
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) {
        return errno == ENOENT ? 0 : -1; /* nothing to be allowed */
    }
    struct stat found;
    int result = fstat(parent, &found);
    if (result == 0) {
        Beneath rule = {S_ISDIR(found.st_mode) ? allowed : allowed & OF_FILES, parent};
        result = (int)syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0);
    }
    close(parent);
    return result;
}

static int
allow_all_beneath(int rules, PyObject *paths, uint64_t allowed)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(paths); i++) {
        const char *path = PyUnicode_AsUTF8(PyTuple_GET_ITEM(paths, i));
        if (path == NULL || allow_beneath(rules, path, allowed) < 0) {
            return -1;
        }
    }
    return 0;
}

PyDoc_STRVAR(restrict_doc,
             "restrict_files(readable, writable)\n\nLandlock: files beneath these paths can be read,\n"
             "or read and written; no others can, and none can be executed.");

static PyObject *
jail_restrict_files(PyObject *Py_UNUSED(module), PyObject *args)
{
    /* What each version has more than the one before: refer, truncate, ioctl of devices. */
    static const int accesses[] = {0, 13, 14, 15, 15, 16, 16};
    PyObject *readable, *writable;
    if (!PyArg_ParseTuple(args, "O!O!:restrict_files", &PyTuple_Type, &readable, &PyTuple_Type,
                          &writable)) {
        return NULL;
    }
    int version = landlock_version();
    if (version < 1) {
        return failed("no Landlock");
    }
    int known = version < 6 ? version : 6;
    Handled handled = {.files = (1ULL << accesses[known]) - 1,
                       .network = version >= 4 ? 3 : 0,
                       .scopes = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (rules < 0) {
        return failed("no rules for files");
    }
    uint64_t reading = READ_FILE | READ_DIR, writing = handled.files & ~1ULL;
    int result = allow_all_beneath(rules, readable, reading) < 0 ||
                         allow_all_beneath(rules, writable, writing) < 0 ||
                         syscall(SYS_landlock_restrict_self, rules, 0) < 0
                     ? -1
                     : 0;
    int error = errno;
    close(rules);
    errno = error;
    if (result < 0) {
        return PyErr_Occurred() ? NULL : failed("files were not restricted");
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(filter_doc, "filter_calls(program)\n\nFrom here on, the kernel asks this BPF program "
                         "about every call.");

static PyObject *
jail_filter_calls(PyObject *Py_UNUSED(module), PyObject *program)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(program, &bytes, &size) < 0) {
        return NULL;
    }
    struct sock_fprog given = {(unsigned short)((size_t)size / sizeof(struct sock_filter)),
                               (struct sock_filter *)bytes};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &given) < 0) {
        return failed("calls were not filtered");
    }
    Py_RETURN_NONE;
}

/* -- the module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
    {"spawn", jail_spawn, METH_NOARGS, spawn_doc},
    {"status", jail_status, METH_NOARGS,
     "The wait status of the last program's process; none where its init was ended."},
    {"keep_mounts", jail_keep_mounts, METH_NOARGS, "Keep what is mounted to itself."},
    {"mount", jail_mount, METH_VARARGS, mount_doc},
    {"drop_capabilities", jail_drop_capabilities, METH_NOARGS, "Keep none."},
    {"keep_privileges_down", jail_keep_privileges_down, METH_NOARGS,
     "No program that is executed brings more rights than there are."},
    {"landlock_version", jail_landlock_version, METH_NOARGS,
     "The kernel's; below 1 where it has none."},
    {"restrict_files", jail_restrict_files, METH_VARARGS, restrict_doc},
    {"filter_calls", jail_filter_calls, METH_O, filter_doc},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_jail",
    .m_doc = "Holds a program.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__jail(void)
{
    return PyModule_Create(&definition);
}
