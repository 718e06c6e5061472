#include "CPulseLatency.h"

#include "CImports.h"

#include <pulse/pulseaudio.h>
#include <stdatomic.h>
#include <stdint.h>

// All times in µs.
// The age from which a new reading is requested.
static const int64_t old = 250 * 1000;
// The age from which a reading isn't used: the server doesn't answer, or the wall clock, which dates it, was set.
static const int64_t useless = 500 * 1000;
// The time between two requests while there is no answer.
static const int64_t patience = 50 * 1000;

// Returns the time since a reading; negative if the wall clock was set back.
static int64_t age_of(const pa_timing_info *reading) {
  struct timeval now;
  pa_gettimeofday(&now);
  return (int64_t)(now.tv_sec - reading->timestamp.tv_sec) * 1000000 + now.tv_usec - reading->timestamp.tv_usec;
}

// Requests a reading, without waiting for it.
static void read_again(pa_stream *stream) {
  static _Atomic int64_t last;
  int64_t now = (int64_t)pa_rtclock_now();
  if (now - atomic_load(&last) < patience) return;
  atomic_store(&last, now);
  pa_operation *operation = pa_stream_update_timing_info(stream, NULL, NULL);
  if (operation) pa_operation_unref(operation);
}

// Called, like the function that it replaces, with the stream's main loop locked.
static int raw_latency(pa_stream *stream, pa_usec_t *latency, int *is_negative) {
  const pa_timing_info *reading = pa_stream_get_timing_info(stream);
  const pa_sample_spec *format = pa_stream_get_sample_spec(stream);
  if (!reading || !format || reading->write_index_corrupt || reading->read_index_corrupt)
    return pa_stream_get_latency(stream, latency, is_negative);
  // libpulse adds what is written after the reading.
  int64_t bytes = reading->write_index - reading->read_index;
  int64_t left = bytes > 0 ? (int64_t)pa_bytes_to_usec((uint64_t)bytes, format) : 0;
  // A stream that waits doesn't move, and nothing of it is in the device. libpulse asks by itself when that changes.
  if (reading->playing && pa_stream_is_corked(stream) == 0) {
    int64_t age = age_of(reading);
    bool is_useless = age < 0 || age > useless;
    if (is_useless || age > old) read_again(stream);
    if (is_useless) return pa_stream_get_latency(stream, latency, is_negative);
    left += (int64_t)reading->sink_usec - age;
  }
  *latency = left > 0 ? (pa_usec_t)left : 0;
  if (is_negative) *is_negative = 0;
  return 0;
}

bool pulse_latency_install(const char *library) {
  struct import imports[] = {{"pa_stream_get_latency", raw_latency, false}};
  replace_imports(library, imports, 1);
  return imports[0].is_replaced;
}
