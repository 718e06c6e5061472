/* Makes a process's monotonic clocks run fast by DRIFT_PPM, counted from its start; loaded with
 * LD_PRELOAD. What waits until an instant of such a clock waits until the true instant that it stands
 * for. Waits for a time, which the kernel counts, stay true: they are off by the drift only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

#define SECOND 1000000000LL
#define CLOCKS 16

static int64_t ppm, origins[CLOCKS];
static int (*true_gettime)(clockid_t, struct timespec *);

static int64_t nanoseconds(const struct timespec *t) { return t->tv_sec * SECOND + t->tv_nsec; }

static struct timespec moment(int64_t t) {
  if (t < 0) t = 0;
  return (struct timespec){.tv_sec = t / SECOND, .tv_nsec = t % SECOND};
}

static int drifts(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME ||
         clock == CLOCK_MONOTONIC_COARSE;
}

/* The newest version of a function: dlsym() alone may find one for programs of long ago. */
static void *next(const char *name, const char *version) {
  void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  return found ? found : dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void) {
  if (true_gettime) return;
  int (*gettime)(clockid_t, struct timespec *) = next("clock_gettime", NULL);
  const char *drift = getenv("DRIFT_PPM");
  ppm = drift ? atoll(drift) : 0;
  for (clockid_t clock = 0; clock < CLOCKS; clock++) {
    struct timespec now;
    if (drifts(clock) && gettime(clock, &now) == 0) origins[clock] = nanoseconds(&now);
  }
  true_gettime = gettime;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  begin();
  int status = true_gettime(clock, time);
  if (status == 0 && drifts(clock)) {
    int64_t elapsed = nanoseconds(time) - origins[clock];
    *time = moment(origins[clock] + elapsed + elapsed / 1000000 * ppm + elapsed % 1000000 * ppm / 1000000);
  }
  return status;
}

static struct timespec true_moment(clockid_t clock, const struct timespec *time) {
  begin();
  if (!drifts(clock)) return *time;
  int64_t elapsed = nanoseconds(time) - origins[clock];
  return moment(origins[clock] + (int64_t)((long double)elapsed / (1 + ppm / 1e6L)));
}

/* Which clock a deadline is of, where the caller said so long ago: the one that it is nearest to. */
static clockid_t nearest(const struct timespec *deadline) {
  begin();
  struct timespec real, monotonic;
  true_gettime(CLOCK_REALTIME, &real);
  true_gettime(CLOCK_MONOTONIC, &monotonic);
  int64_t to_real = llabs(nanoseconds(deadline) - nanoseconds(&real));
  int64_t to_monotonic = llabs(nanoseconds(deadline) - nanoseconds(&monotonic));
  return to_monotonic < to_real ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!wait) wait = next("pthread_cond_timedwait", "GLIBC_2.3.2");
  struct timespec due = true_moment(nearest(deadline), deadline);
  return wait(condition, mutex, &due);
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (!wait) wait = next("pthread_cond_clockwait", NULL);
  struct timespec due = true_moment(clock, deadline);
  return wait(condition, mutex, clock, &due);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
  static int (*wait)(sem_t *, clockid_t, const struct timespec *);
  if (!wait) wait = next("sem_clockwait", NULL);
  struct timespec due = true_moment(clock, deadline);
  return wait(semaphore, clock, &due);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  static int (*sleep)(clockid_t, int, const struct timespec *, struct timespec *);
  if (!sleep) sleep = next("clock_nanosleep", NULL);
  struct timespec due = flags & TIMER_ABSTIME ? true_moment(clock, time) : *time;
  return sleep(clock, flags, &due, left);
}

int timerfd_settime(int file, int flags, const struct itimerspec *time, struct itimerspec *old) {
  static int (*set)(int, int, const struct itimerspec *, struct itimerspec *);
  if (!set) set = next("timerfd_settime", NULL);
  struct itimerspec changed = *time;
  /* All zero disarms it. */
  if (flags & TFD_TIMER_ABSTIME && nanoseconds(&time->it_value) != 0)
    changed.it_value = true_moment(nearest(&time->it_value), &time->it_value);
  return set(file, flags, &changed, old);
}
