/*
 * slowfs: mounts a folder through FUSE with the delays of a network disk.
 *
 *   cc -O2 -o slowfs slowfs.c $(pkg-config --cflags --libs fuse3)
 *   SLOWFS_ROOT=/folder SLOWFS_MS=1.5 ./slowfs MOUNTPOINT        (fusermount3 -u MOUNTPOINT unmounts it)
 *
 * Each of these operations waits for SLOWFS_MS, because a file server must answer it:
 * - lookup and getattr (cached for a second, as in NFS), open, create, readdir
 * - close of a written file (NFS flushes there)
 * - chmod, utimens, truncate, rename, link, symlink, unlink, mkdir, rmdir
 *
 * Writes are buffered until the close, as in a client with a page cache, and have no delay. The kernel serializes creations within one
 * folder, as it does for NFS.
 * - SLOWFS_DISK=1 performs one operation at a time, like a single spindle.
 * - SLOWFS_FAIL_CLOSE=NAME makes the close of files of that name fail with ENOSPC, as on a full or over-quota server.
 *
 * After the unmount, it prints the number of calls of each operation.
 */
#define FUSE_USE_VERSION 312
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *root, *fail_close;
static struct timespec pause_of_one;
static int one_at_a_time;
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

enum operation { LOOKUP, LIST, OPEN, CREATE, CLOSE, CHMOD, CHOWN, TRUNCATE, TIMES, RENAME, LINK, UNLINK, MKDIR, RMDIR, OPERATIONS };
static const char *names[] = {"lookup", "list", "open", "create", "close", "chmod", "chown", "truncate", "times", "rename", "link", "unlink", "mkdir", "rmdir"};
static atomic_long served[OPERATIONS];

static void serve(enum operation which) {
    served[which]++;
    if (one_at_a_time) pthread_mutex_lock(&disk);
    nanosleep(&pause_of_one, NULL);
    if (one_at_a_time) pthread_mutex_unlock(&disk);
}

#define AT(name) char name##_at[PATH_MAX]; snprintf(name##_at, sizeof name##_at, "%s%s", root, name)
#define DONE(call) return (call) == -1 ? -errno : 0

static int s_getattr(const char *p, struct stat *st, struct fuse_file_info *fi) {
    if (fi) DONE(fstat(fi->fh, st));
    AT(p); serve(LOOKUP); DONE(lstat(p_at, st));
}
static int s_readlink(const char *p, char *to, size_t size) {
    AT(p); serve(LOOKUP);
    ssize_t n = readlink(p_at, to, size - 1);
    if (n < 0) return -errno;
    to[n] = 0;
    return 0;
}
static int s_readdir(const char *p, void *buf, fuse_fill_dir_t fill, off_t o, struct fuse_file_info *fi, enum fuse_readdir_flags f) {
    (void) o; (void) fi; (void) f;
    AT(p); serve(LIST);
    DIR *d = opendir(p_at);
    if (!d) return -errno;
    for (struct dirent *e; (e = readdir(d));) fill(buf, e->d_name, NULL, 0, 0);
    closedir(d);
    return 0;
}
static int s_open(const char *p, struct fuse_file_info *fi) {
    AT(p); serve(OPEN);
    int fd = open(p_at, fi->flags & ~O_APPEND);
    if (fd < 0) return -errno;
    fi->fh = fd;
    return 0;
}
static int s_create(const char *p, mode_t mode, struct fuse_file_info *fi) {
    AT(p); serve(CREATE);
    int fd = open(p_at, fi->flags, mode);
    if (fd < 0) return -errno;
    fi->fh = fd;
    return 0;
}
static int s_read(const char *p, char *buf, size_t n, off_t o, struct fuse_file_info *fi) {
    (void) p;
    ssize_t r = pread(fi->fh, buf, n, o);
    return r < 0 ? -errno : (int) r;
}
static int s_write(const char *p, const char *buf, size_t n, off_t o, struct fuse_file_info *fi) {
    (void) p;
    ssize_t r = pwrite(fi->fh, buf, n, o);
    return r < 0 ? -errno : (int) r;
}
static int s_flush(const char *p, struct fuse_file_info *fi) {
    if ((fcntl(fi->fh, F_GETFL) & O_ACCMODE) != O_RDONLY) { /* libfuse leaves fi->flags empty here */
        serve(CLOSE);
        const char *name = strrchr(p, '/');
        if (fail_close && name && !strcmp(name + 1, fail_close)) return -ENOSPC;
    }
    return 0;
}
static int s_release(const char *p, struct fuse_file_info *fi) { (void) p; close(fi->fh); return 0; }
static int s_chmod(const char *p, mode_t m, struct fuse_file_info *fi) { (void) fi; AT(p); serve(CHMOD); DONE(chmod(p_at, m)); }
static int s_chown(const char *p, uid_t u, gid_t g, struct fuse_file_info *fi) { (void) fi; AT(p); serve(CHOWN); DONE(lchown(p_at, u, g)); }
static int s_truncate(const char *p, off_t n, struct fuse_file_info *fi) { if (fi) DONE(ftruncate(fi->fh, n)); AT(p); serve(TRUNCATE); DONE(truncate(p_at, n)); }
static int s_utimens(const char *p, const struct timespec t[2], struct fuse_file_info *fi) {
    (void) fi; AT(p); serve(TIMES); DONE(utimensat(AT_FDCWD, p_at, t, AT_SYMLINK_NOFOLLOW));
}
static int s_rename(const char *p, const char *q, unsigned f) { AT(p); AT(q); serve(RENAME); DONE(renameat2(AT_FDCWD, p_at, AT_FDCWD, q_at, f)); }
static int s_link(const char *p, const char *q) { AT(p); AT(q); serve(LINK); DONE(link(p_at, q_at)); }
static int s_symlink(const char *to, const char *p) { AT(p); serve(LINK); DONE(symlink(to, p_at)); }
static int s_unlink(const char *p) { AT(p); serve(UNLINK); DONE(unlink(p_at)); }
static int s_mkdir(const char *p, mode_t m) { AT(p); serve(MKDIR); DONE(mkdir(p_at, m)); }
static int s_rmdir(const char *p) { AT(p); serve(RMDIR); DONE(rmdir(p_at)); }

static void *s_init(struct fuse_conn_info *c, struct fuse_config *config) {
    config->attr_timeout = config->entry_timeout = 1;
    config->use_ino = 1;
    if (c->capable & FUSE_CAP_WRITEBACK_CACHE) c->want |= FUSE_CAP_WRITEBACK_CACHE;
    return NULL;
}

static const struct fuse_operations operations = {
    .init = s_init, .getattr = s_getattr, .readlink = s_readlink, .readdir = s_readdir, .open = s_open, .create = s_create, .read = s_read,
    .write = s_write, .flush = s_flush, .release = s_release, .chmod = s_chmod, .chown = s_chown, .truncate = s_truncate, .utimens = s_utimens,
    .rename = s_rename, .link = s_link, .symlink = s_symlink, .unlink = s_unlink, .mkdir = s_mkdir, .rmdir = s_rmdir};

int main(int argc, char *argv[]) {
    root = getenv("SLOWFS_ROOT");
    fail_close = getenv("SLOWFS_FAIL_CLOSE");
    one_at_a_time = getenv("SLOWFS_DISK") != NULL;
    double ms = getenv("SLOWFS_MS") ? atof(getenv("SLOWFS_MS")) : 1;
    if (!root || root[0] != '/') { fprintf(stderr, "slowfs: SLOWFS_ROOT must be an absolute folder\n"); return 2; }
    pause_of_one.tv_sec = (time_t) (ms / 1000);
    pause_of_one.tv_nsec = (long) ((ms - 1000.0 * pause_of_one.tv_sec) * 1e6);
    umask(0);
    char *with_threads[argc + 2];
    memcpy(with_threads, argv, argc * sizeof *argv);
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 12)
    with_threads[argc++] = "-omax_threads=64"; /* the default is 10; earlier versions have no limit */
#endif
    with_threads[argc] = NULL;
    int result = fuse_main(argc, with_threads, &operations, NULL);
    for (int i = 0; i < OPERATIONS; i++) if (served[i]) printf("%s %ld\n", names[i], (long) served[i]);
    return result;
}
