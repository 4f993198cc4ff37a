/*
 * Preloaded into a process under test: counts what it does to the files below FAULT_BELOW (writes, syncs, renames,
 * links, cuts), and at the FAULT_AT-th time kills the process (FAULT_DO=kill), stops it (stop), or lets FAULT_TIMES calls fail with ENOSPC
 * or EIO, or write a part only (short), or the first a part and the others nothing (torn, as on a full disk). At its end the process leaves the count in FAULT_COUNT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static long count;

static int path_counts(const char *path) {
  const char *below = getenv("FAULT_BELOW");
  return below != NULL && path != NULL && strncmp(path, below, strlen(below)) == 0;
}

static int fd_counts(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return path_counts(path);
}

/* 0: go on. 1: fail with errno. 2: write a part only. */
static int fault(void) {
  const char *at = getenv("FAULT_AT"), *what = getenv("FAULT_DO"), *times = getenv("FAULT_TIMES");
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  long first = at ? atol(at) : 0, how_often = times ? atol(times) : 1;
  if (first == 0 || number < first || number >= first + how_often || what == NULL) return 0;
  if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(what, "stop") == 0) return kill(getpid(), SIGSTOP), 0;
  if (strcmp(what, "short") == 0 || (strcmp(what, "torn") == 0 && number == first)) return 2;
  errno = strcmp(what, "eio") == 0 ? EIO : ENOSPC;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t size) {
  int what = fd_counts(fd) ? fault() : 0;
  return what == 1 ? -1 : REAL(write)(fd, bytes, what == 2 ? size / 2 : size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  int what = fd_counts(fd) ? fault() : 0;
  return what == 1 ? -1 : REAL(pwrite)(fd, bytes, what == 2 ? size / 2 : size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  int what = fd_counts(fd) ? fault() : 0;
  return what == 1 ? -1 : REAL(pwrite64)(fd, bytes, what == 2 ? size / 2 : size, at);
}

int fsync(int fd) { return fd_counts(fd) && fault() == 1 ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fd_counts(fd) && fault() == 1 ? -1 : REAL(fdatasync)(fd); }

int ftruncate(int fd, off_t size) { return fd_counts(fd) && fault() == 1 ? -1 : REAL(ftruncate)(fd, size); }

int ftruncate64(int fd, off64_t size) {
  return fd_counts(fd) && fault() == 1 ? -1 : REAL(ftruncate64)(fd, size);
}

int rename(const char *from, const char *to) {
  return path_counts(to) && fault() == 1 ? -1 : REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
  return path_counts(to) && fault() == 1 ? -1 : REAL(link)(from, to);
}

int unlink(const char *path) { return path_counts(path) && fault() == 1 ? -1 : REAL(unlink)(path); }

__attribute__((destructor)) static void leave_count(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}
