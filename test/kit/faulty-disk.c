/*
 * Loaded into a process with LD_PRELOAD: a disk that records what is written to a database, and that can be full.
 * It is about the files whose paths begin with DISK_FILE, except for -shm, which SQLite never relies on after a crash.
 *
 * DISK_LOG: every change and every sync is appended to this file, in order, as a `struct record` and its data.
 * DISK_SPACE: a file with a 64-bit number: how many bytes can still be written, -1 for any number. As on a file system
 * that copies on write, overwriting needs space as well. At the end, a write is cut short, and the next fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES 4096
#define MAX_NAME 80

/* C created, W written, T truncated, S synced, L linked (the data is the new name), U unlinked, D folder synced */
struct record {
  char kind;
  /* the path without DISK_FILE */
  char name[MAX_NAME - 1];
  /* of the monotonic clock, in nanoseconds */
  int64_t at;
  int64_t offset;
  int64_t length;
};

static const char *prefix;
static char folder[PATH_MAX];
static int log_file = -1;
static int64_t *space;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* by descriptor: 0 none, F a file of the database, D its folder */
static char kinds[MAX_FILES];
static char names[MAX_FILES][MAX_NAME];

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  prefix = getenv("DISK_FILE");
  if (!prefix) return;
  strncpy(folder, prefix, sizeof folder - 1);
  *strrchr(folder, '/') = 0;
  if (getenv("DISK_LOG")) log_file = NEXT(open64)(getenv("DISK_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (getenv("DISK_SPACE")) {
    int file = NEXT(open64)(getenv("DISK_SPACE"), O_RDWR | O_CLOEXEC);
    space = (int64_t *)mmap(0, sizeof *space, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
}

static const char *name_of(const char *path) {
  return prefix && strncmp(path, prefix, strlen(prefix)) == 0 ? path + strlen(prefix) : 0;
}

static void record(char kind, const char *name, int64_t offset, const void *data, int64_t length) {
  struct record entry = {.kind = kind, .offset = offset, .length = length};
  struct timespec time;
  if (log_file < 0 || strcmp(name, "-shm") == 0) return;
  clock_gettime(CLOCK_MONOTONIC, &time);
  entry.at = time.tv_sec * 1000000000LL + time.tv_nsec;
  strncpy(entry.name, name, sizeof entry.name - 1);
  struct iovec parts[] = {{&entry, sizeof entry}, {(void *)data, data ? (size_t)length : 0}};
  /* a record that is lost would make every image wrong */
  if (writev(log_file, parts, 2) < (ssize_t)sizeof entry) abort();
}

static char kind_of(int fd) { return fd >= 0 && fd < MAX_FILES ? kinds[fd] : 0; }

/* Takes what can be written of a number of bytes. */
static size_t take(size_t wanted) {
  if (!space) return wanted;
  for (;;) {
    int64_t left = __atomic_load_n(space, __ATOMIC_SEQ_CST);
    int64_t taken = left < 0 || (int64_t)wanted < left ? (int64_t)wanted : left;
    if (left < 0 || __atomic_compare_exchange_n(space, &left, left - taken, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return (size_t)taken;
  }
}

static int open_with(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  const char *name = name_of(path);
  pthread_mutex_lock(&lock);
  int isNew = name && (flags & O_CREAT) && access(path, F_OK) != 0;
  int fd = real(path, flags, mode);
  if (fd >= 0 && fd < MAX_FILES) {
    kinds[fd] = name ? 'F' : prefix && strcmp(path, folder) == 0 ? 'D' : 0;
    if (name) strncpy(names[fd], name, MAX_NAME - 1);
    if (isNew) record('C', name, 0, 0, 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(function)                                        \
  int function(const char *path, int flags, ...) {            \
    va_list more;                                             \
    va_start(more, flags);                                    \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
    va_end(more);                                             \
    return open_with(NEXT(function), path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (kind_of(fd)) kinds[fd] = 0;
  return NEXT(close)(fd);
}

static ssize_t write_at(int fd, const void *data, size_t length, off64_t offset) {
  size_t possible = take(length);
  if (length > 0 && possible == 0) {
    errno = ENOSPC;
    return -1;
  }
  pthread_mutex_lock(&lock);
  ssize_t written = NEXT(pwrite64)(fd, data, possible, offset);
  if (written > 0) record('W', names[fd], offset, data, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  return kind_of(fd) == 'F' ? write_at(fd, data, length, offset) : NEXT(pwrite64)(fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

ssize_t write(int fd, const void *data, size_t length) {
  if (kind_of(fd) != 'F') return NEXT(write)(fd, data, length);
  off64_t offset = lseek64(fd, 0, SEEK_CUR);
  ssize_t written = write_at(fd, data, length, offset);
  if (written > 0) lseek64(fd, offset + written, SEEK_SET);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  if (kind_of(fd) != 'F') return NEXT(ftruncate64)(fd, length);
  pthread_mutex_lock(&lock);
  int result = NEXT(ftruncate64)(fd, length);
  if (result == 0) record('T', names[fd], length, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* The record is written after the disk has synced and before the program learns it. */
static int sync_with(int (*real)(int), int fd) {
  char kind = kind_of(fd);
  if (!kind) return real(fd);
  pthread_mutex_lock(&lock);
  int result = real(fd);
  if (result == 0) record(kind == 'D' ? 'D' : 'S', kind == 'D' ? "" : names[fd], 0, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return sync_with(NEXT(fsync), fd); }
int fdatasync(int fd) { return sync_with(NEXT(fdatasync), fd); }

int link(const char *from, const char *to) {
  int result = NEXT(link)(from, to);
  if (result == 0 && name_of(from) && name_of(to)) record('L', name_of(from), 0, name_of(to), strlen(name_of(to)));
  return result;
}

int unlink(const char *path) {
  int result = NEXT(unlink)(path);
  if (result == 0 && name_of(path)) record('U', name_of(path), 0, 0, 0);
  return result;
}
