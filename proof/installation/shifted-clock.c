/*
 * This library is preloaded into a PostgreSQL server to shift its clock by CLOCK_SHIFT_SECONDS seconds.
 * Monotonic clocks, which only measure durations, are not shifted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t shift_seconds(void) {
  const char *given = getenv("CLOCK_SHIFT_SECONDS");
  return given ? atol(given) : 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  int (*right)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int outcome = right(now, zone);
  if (outcome == 0 && now) now->tv_sec += shift_seconds();
  return outcome;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*right)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int outcome = right(clock, now);
  if (outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift_seconds();
  return outcome;
}

time_t time(time_t *now) {
  struct timeval told;
  gettimeofday(&told, NULL);
  if (now) *now = told.tv_sec;
  return told.tv_sec;
}
