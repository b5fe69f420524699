/* A disk whose power can fail: loaded before a program (LD_PRELOAD), it keeps back what the program writes to its database
 * until the program syncs it. Whoever kills the program takes the rest away, as a power cut takes what a disk had not written.
 *
 * Some writes reach the disk early and only in part, for a disk is free to write what it likes, in any order: torn pages.
 * With POWER_LIES set a sync does nothing, as with a disk that lies: then what was synced is lost, too.
 *
 * Files of the database are told by their names: *.db and *.db-wal. Each is held in memory as the program sees it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FDS 4096
#define MOST_FILES 64

/* One write or, with `cut`, one change of length that is not on the disk yet. */
struct op {
  off_t at;
  size_t length;
  int cut;
  char *bytes;
};

struct file {
  int used;
  dev_t device;
  ino_t inode;
  char *seen;
  size_t size, room;
  struct op *ops;
  size_t count, ops_room;
};

static struct file files[MOST_FILES];
static struct file *of_fd[MOST_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned dice = 2463534242u;

#define REAL(name) real_##name
#define DECLARE(result, name, ...) static result (*real_##name)(__VA_ARGS__)
DECLARE(int, open, const char *, int, ...);
DECLARE(int, close, int);
DECLARE(ssize_t, read, int, void *, size_t);
DECLARE(ssize_t, write, int, const void *, size_t);
DECLARE(ssize_t, pread, int, void *, size_t, off_t);
DECLARE(ssize_t, pwrite, int, const void *, size_t, off_t);
DECLARE(int, fsync, int);
DECLARE(int, fdatasync, int);
DECLARE(int, ftruncate, int, off_t);
DECLARE(int, fstat, int, struct stat *);
DECLARE(int, unlink, const char *);

__attribute__((constructor)) static void begin(void) {
#define FIND(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)
  FIND(open); FIND(close); FIND(read); FIND(write); FIND(pread); FIND(pwrite);
  FIND(fsync); FIND(fdatasync); FIND(ftruncate); FIND(fstat); FIND(unlink);
  dice ^= (unsigned)getpid() * 2654435761u;
}

static void *must(void *got) {
  if (!got) abort();
  return got;
}

static int is_database(const char *path) {
  size_t length = strlen(path);
  const char *ends[] = {".db", ".db-wal"};
  for (int i = 0; i < 2; i++) {
    size_t end = strlen(ends[i]);
    if (length >= end && strcmp(path + length - end, ends[i]) == 0) return 1;
  }
  return 0;
}

static void grow(struct file *file, size_t size) {
  if (size > file->room) {
    file->room = size * 2;
    file->seen = must(realloc(file->seen, file->room));
  }
  if (size > file->size) memset(file->seen + file->size, 0, size - file->size);
}

static struct file *find(dev_t device, ino_t inode) {
  for (int i = 0; i < MOST_FILES; i++)
    if (files[i].used && files[i].device == device && files[i].inode == inode) return &files[i];
  return NULL;
}

static void forget(struct file *file) {
  for (size_t i = 0; i < file->count; i++) free(file->ops[i].bytes);
  free(file->ops);
  free(file->seen);
  memset(file, 0, sizeof *file);
}

static void watch(int fd) {
  struct stat about;
  if (fd < 0 || fd >= MOST_FDS || REAL(fstat)(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
  struct file *file = find(about.st_dev, about.st_ino);
  for (int i = 0; !file && i < MOST_FILES; i++) {
    if (files[i].used) continue;
    file = &files[i];
    file->used = 1;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    grow(file, (size_t)about.st_size);
    file->size = 0;
    while (file->size < (size_t)about.st_size) {
      ssize_t got = REAL(pread)(fd, file->seen + file->size, (size_t)about.st_size - file->size, (off_t)file->size);
      if (got <= 0) abort();
      file->size += (size_t)got;
    }
  }
  if (!file) abort();
  of_fd[fd] = file;
}

static void later(struct file *file, struct op op) {
  if (file->count == file->ops_room) {
    file->ops_room = file->ops_room * 2 + 16;
    file->ops = must(realloc(file->ops, file->ops_room * sizeof *file->ops));
  }
  file->ops[file->count++] = op;
}

static ssize_t put(int fd, struct file *file, const void *from, size_t length, off_t at) {
  grow(file, (size_t)at + length);
  memcpy(file->seen + at, from, length);
  if ((size_t)at + length > file->size) file->size = (size_t)at + length;
  struct op op = {at, length, 0, must(malloc(length ? length : 1))};
  memcpy(op.bytes, from, length);
  later(file, op);
  dice ^= dice << 13; dice ^= dice >> 17; dice ^= dice << 5;
  /* Early, and torn. */
  if (dice % 8 == 0) (void)!REAL(pwrite)(fd, from, length / 2, at);
  return (ssize_t)length;
}

static ssize_t get(struct file *file, void *to, size_t length, off_t at) {
  if ((size_t)at >= file->size) return 0;
  size_t there = file->size - (size_t)at;
  if (there < length) length = there;
  memcpy(to, file->seen + at, length);
  return (ssize_t)length;
}

static int settle(int fd, struct file *file) {
  if (getenv("POWER_LIES")) return 0;
  for (size_t i = 0; i < file->count; i++) {
    struct op *op = &file->ops[i];
    if (op->cut ? REAL(ftruncate)(fd, op->at) != 0
                : REAL(pwrite)(fd, op->bytes, op->length, op->at) != (ssize_t)op->length)
      return -1;
  }
  for (size_t i = 0; i < file->count; i++) free(file->ops[i].bytes);
  file->count = 0;
  return REAL(fdatasync)(fd);
}

static int cut(struct file *file, off_t size) {
  grow(file, (size_t)size);
  file->size = (size_t)size;
  struct op op = {0};
  op.at = size;
  op.cut = 1;
  later(file, op);
  return 0;
}

static struct file *held(int fd) { return fd >= 0 && fd < MOST_FDS ? of_fd[fd] : NULL; }

#define WITH(fd, file, then) do { \
    pthread_mutex_lock(&lock); \
    struct file *file = held(fd); \
    if (file) { then; } \
    pthread_mutex_unlock(&lock); \
  } while (0)

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(more, int) : 0;
  va_end(more);
  if (!REAL(open)) begin();
  int fd = REAL(open)(path, flags, mode);
  if (fd >= 0 && fd < MOST_FDS) {
    pthread_mutex_lock(&lock);
    of_fd[fd] = NULL;
    if (is_database(path)) watch(fd);
    pthread_mutex_unlock(&lock);
  }
  return fd;
}
int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(more, int) : 0;
  va_end(more);
  return open(path, flags, mode);
}

int close(int fd) {
  if (!REAL(close)) begin();
  WITH(fd, file, (void)file; of_fd[fd] = NULL);
  return REAL(close)(fd);
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at) {
  WITH(fd, file, ssize_t done = put(fd, file, from, length, at); pthread_mutex_unlock(&lock); return done);
  return REAL(pwrite)(fd, from, length, at);
}
ssize_t pwrite64(int fd, const void *from, size_t length, off_t at) { return pwrite(fd, from, length, at); }

ssize_t pread(int fd, void *to, size_t length, off_t at) {
  WITH(fd, file, ssize_t done = get(file, to, length, at); pthread_mutex_unlock(&lock); return done);
  return REAL(pread)(fd, to, length, at);
}
ssize_t pread64(int fd, void *to, size_t length, off_t at) { return pread(fd, to, length, at); }

ssize_t write(int fd, const void *from, size_t length) {
  if (!REAL(write)) begin();
  WITH(fd, file, off_t at = lseek(fd, 0, SEEK_CUR); ssize_t done = put(fd, file, from, length, at);
       lseek(fd, at + (off_t)length, SEEK_SET); pthread_mutex_unlock(&lock); return done);
  return REAL(write)(fd, from, length);
}

ssize_t read(int fd, void *to, size_t length) {
  if (!REAL(read)) begin();
  WITH(fd, file, off_t at = lseek(fd, 0, SEEK_CUR); ssize_t done = get(file, to, length, at);
       lseek(fd, at + (off_t)done, SEEK_SET); pthread_mutex_unlock(&lock); return done);
  return REAL(read)(fd, to, length);
}

int fsync(int fd) {
  WITH(fd, file, int done = settle(fd, file); pthread_mutex_unlock(&lock); return done);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  WITH(fd, file, int done = settle(fd, file); pthread_mutex_unlock(&lock); return done);
  return REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size) {
  WITH(fd, file, int done = cut(file, size); pthread_mutex_unlock(&lock); return done);
  return REAL(ftruncate)(fd, size);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int fstat(int fd, struct stat *about) {
  if (!REAL(fstat)) begin();
  int done = REAL(fstat)(fd, about);
  if (done == 0) WITH(fd, file, about->st_size = (off_t)file->size);
  return done;
}
int fstat64(int fd, struct stat64 *about) { return fstat(fd, (struct stat *)about); }

int unlink(const char *path) {
  struct stat about;
  if (!REAL(unlink)) begin();
  if (is_database(path) && stat(path, &about) == 0 && about.st_nlink == 1) {
    pthread_mutex_lock(&lock);
    struct file *file = find(about.st_dev, about.st_ino);
    if (file) {
      for (int fd = 0; fd < MOST_FDS; fd++)
        if (of_fd[fd] == file) of_fd[fd] = NULL;
      forget(file);
    }
    pthread_mutex_unlock(&lock);
  }
  return REAL(unlink)(path);
}
