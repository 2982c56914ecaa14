/* Sandbox layers that need C: namespaces, a disk in memory, Landlock, capabilities and seccomp.

   Each function applies one layer to the calling process, so that layers can be tested one by one.
   child/sandbox_layers.py calls them in order. The policy is not here but in
   worldline/languages/sandbox. */

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
raise_error(const char *message)
{
    int error = errno;
    PyErr_Format(PyExc_OSError, "%s: %s", message, strerror(error));
    return NULL;
}

/* -- process in namespaces ------------------------------------------------------------------- */

/* Wait status of the program's process, written by its init; -1 if the init was killed. */
static int *last_status;

/* Init, the first process of the namespaces: it waits for the program, and all processes end with
   it. The program is the second process, because the kernel ignores fatal signals that an init sends
   to itself: a crash would go unnoticed. */
static void
run_init(void)
{
    pid_t program = fork();
    if (program == 0) {
        munmap(last_status, sizeof *last_status);
        return;
    }
    /* Close all files: the program may wait for the other end of one to be closed. */
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
             "spawn()\n\nFork into new namespaces of processes, mounts and IPC. Returns the id of\n"
             "the new init and a pidfd for it; (0, -1) in the program's process.");

static PyObject *
sandbox_spawn(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
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
            return raise_error("cannot allocate shared memory for the wait status");
        }
        last_status = page;
    }
    *last_status = -1;
    PyOS_BeforeFork();
    long pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0) {
        run_init();
        PyOS_AfterFork_Child();
        return Py_BuildValue("ii", 0, -1);
    }
    int error = errno;
    PyOS_AfterFork_Parent();
    errno = error;
    return pid < 0 ? raise_error("cannot create namespaces") : Py_BuildValue("li", pid, pidfd);
}

static PyObject *
sandbox_status(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (last_status == NULL || *last_status == -1) {
        Py_RETURN_NONE;
    }
    return PyLong_FromLong(*last_status);
}

/* Without a namespace of processes: orphans of a program become children of this process, which gets
   SIGTERM when its own parent ends. */
static PyObject *
sandbox_adopt_orphans(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0) {
        return raise_error("cannot adopt orphans");
    }
    Py_RETURN_NONE;
}

/* -- layers ---------------------------------------------------------------------------------- */

/* Later mounts of this process and of its children are invisible to other processes. */
static PyObject *
sandbox_make_mounts_private(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        return raise_error("cannot make mounts private");
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(mount_doc, "mount_tmpfs(path, options)\n\nMount a file system in memory.");

static PyObject *
sandbox_mount_tmpfs(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *path, *options;
    if (!PyArg_ParseTuple(args, "ss:mount_tmpfs", &path, &options)) {
        return NULL;
    }
    if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0) {
        return raise_error("cannot mount a file system in memory");
    }
    Py_RETURN_NONE;
}

static PyObject *
sandbox_drop_capabilities(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
        syscall(SYS_capset, &header, none) < 0) {
        return raise_error("cannot drop capabilities");
    }
    Py_RETURN_NONE;
}

static PyObject *
sandbox_set_no_new_privileges(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return raise_error("cannot disable new privileges");
    }
    Py_RETURN_NONE;
}

/* Landlock's structures as in the newest kernel; the system's header may be older. */
typedef struct {
    uint64_t files, network, scopes;
} LandlockRuleset;

typedef struct {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) LandlockPathRule;

enum {
    RULE_PATH_BENEATH = 1,
    ASK_VERSION = 1,
    /* Access rights of files; the others are of directories only. */
    FILE_RIGHTS = 1 | 2 | 4 | 1 << 14 | 1 << 15,
    EXECUTE_FILE = 1,
    READ_FILE = 4,
    READ_DIR = 8,
};

/* Version of Landlock in the kernel; below 1 if there is none. */
static int
landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
}

static PyObject *
sandbox_landlock_version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    int version = landlock_version();
    return PyLong_FromLong(version < 0 ? -errno : version);
}

static int
allow_beneath(int rules, const char *path, uint64_t allowed)
{
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) {
        return errno == ENOENT ? 0 : -1; /* nothing to allow */
    }
    struct stat info;
    int result = fstat(parent, &info);
    if (result == 0) {
        LandlockPathRule rule = {S_ISDIR(info.st_mode) ? allowed : allowed & FILE_RIGHTS, parent};
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
             "restrict_files(readable, listable, writable, version, executable=())\n\nApply "
             "Landlock as in this version:\nonly files below these paths can be read, or read and "
             "written, or executed.\nFolders below `listable` can be listed.");

static PyObject *
sandbox_restrict_files(PyObject *Py_UNUSED(module), PyObject *args)
{
    /* Number of access rights by version; added were: refer, truncate, ioctl of devices. */
    static const int right_counts[] = {0, 13, 14, 15, 15, 16, 16};
    PyObject *readable, *listable, *writable, *executable = NULL;
    int version;
    if (!PyArg_ParseTuple(args, "O!O!O!i|O!:restrict_files", &PyTuple_Type, &readable,
                          &PyTuple_Type, &listable, &PyTuple_Type, &writable, &version,
                          &PyTuple_Type, &executable)) {
        return NULL;
    }
    if (version < 1 || landlock_version() < version) {
        errno = EOPNOTSUPP;
        return raise_error("the kernel has no Landlock of this version");
    }
    int known = version < 6 ? version : 6;
    LandlockRuleset handled = {.files = (1ULL << right_counts[known]) - 1,
                               .network = version >= 4 ? 3 : 0,
                               .scopes = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (rules < 0) {
        return raise_error("cannot create a Landlock ruleset");
    }
    uint64_t reading = READ_FILE | READ_DIR, writing = handled.files & ~1ULL;
    int result = allow_all_beneath(rules, readable, reading) < 0 ||
                         allow_all_beneath(rules, listable, READ_DIR) < 0 ||
                         allow_all_beneath(rules, writable, writing) < 0 ||
                         (executable != NULL &&
                          allow_all_beneath(rules, executable, EXECUTE_FILE | READ_FILE) < 0) ||
                         syscall(SYS_landlock_restrict_self, rules, 0) < 0
                     ? -1
                     : 0;
    int error = errno;
    close(rules);
    errno = error;
    if (result < 0) {
        return PyErr_Occurred() ? NULL : raise_error("cannot apply Landlock");
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(filter_doc, "install_seccomp_filter(program)\n\nLet this BPF program check every "
                         "later system call.");

static PyObject *
sandbox_install_seccomp_filter(PyObject *Py_UNUSED(module), PyObject *program)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(program, &bytes, &size) < 0) {
        return NULL;
    }
    struct sock_fprog filter = {(unsigned short)((size_t)size / sizeof(struct sock_filter)),
                                (struct sock_filter *)bytes};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0) {
        return raise_error("cannot install the seccomp filter");
    }
    Py_RETURN_NONE;
}

/* -- the module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
    {"spawn", sandbox_spawn, METH_NOARGS, spawn_doc},
    {"status", sandbox_status, METH_NOARGS,
     "The wait status of the last program's process; None if its init was killed."},
    {"adopt_orphans", sandbox_adopt_orphans, METH_NOARGS,
     "Become the parent of orphans of programs; get SIGTERM when the own parent ends."},
    {"make_mounts_private", sandbox_make_mounts_private, METH_NOARGS,
     "Make later mounts invisible to other processes."},
    {"mount_tmpfs", sandbox_mount_tmpfs, METH_VARARGS, mount_doc},
    {"drop_capabilities", sandbox_drop_capabilities, METH_NOARGS, "Drop all capabilities."},
    {"set_no_new_privileges", sandbox_set_no_new_privileges, METH_NOARGS,
     "Set no_new_privs: executing a file cannot add privileges."},
    {"landlock_version", sandbox_landlock_version, METH_NOARGS,
     "The version of Landlock in the kernel, or else a negative error number."},
    {"restrict_files", sandbox_restrict_files, METH_VARARGS, restrict_doc},
    {"install_seccomp_filter", sandbox_install_seccomp_filter, METH_O, filter_doc},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_sandbox_layers",
    .m_doc = "Layers of the sandbox.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__sandbox_layers(void)
{
    return PyModule_Create(&definition);
}
