#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of GStreamer 1.x that the example uses, as its headers declare it (gst/gst.h, gst/gstelement.h,
// gst/gstevent.h). They can't be included: only pkg-config knows where they and GLib's are, and SwiftPM would ask it, and
// warn of its answer, in every build of the package.
typedef struct _GstClock GstClock;
typedef struct _GstElement GstElement;
typedef struct _GstPipeline GstPipeline;
typedef struct _GError GError;

void gst_init(int *count, char ***arguments);
char *gst_filename_to_uri(const char *filename, GError **error);
GstElement *gst_parse_launch(const char *description, GError **error);
int gst_element_set_state(GstElement *element, int state);
int gst_element_get_state(GstElement *element, int *state, int *pending, uint64_t timeout);
int gst_element_seek(GstElement *element, double rate, int format, int flags, int start_type,
                     int64_t start, int stop_type, int64_t stop);
int gst_element_query_position(GstElement *element, int format, int64_t *position);
void gst_element_set_base_time(GstElement *element, uint64_t time);
void gst_element_set_start_time(GstElement *element, uint64_t time);
void gst_pipeline_use_clock(GstPipeline *pipeline, GstClock *clock);
GstClock *gst_system_clock_obtain(void);
void gst_object_unref(void *object);

// Enumerators of `GstState`, `GstStateChangeReturn`, `GstFormat`, `GstSeekFlags` and `GstSeekType`.
enum { cgst_paused = 3, cgst_playing = 4, cgst_failure = 0, cgst_format_time = 3 };
enum { cgst_seek_none = 0, cgst_seek_set = 1, cgst_seek_flush = 1, cgst_seek_accurate = 2 };

/// Uses the system's clock, `CLOCK_MONOTONIC`, so that a base time is an instant of it. Without a start time the pipeline
/// keeps the base time that it is given.
static inline void cgst_use_monotonic_clock(GstElement *pipeline) {
  GstClock *clock = gst_system_clock_obtain();
  gst_pipeline_use_clock((GstPipeline *)pipeline, clock);
  gst_object_unref(clock);
  gst_element_set_start_time(pipeline, UINT64_MAX);
}

/// Changes the state, and waits until that is complete. Returns false if it fails.
static inline bool cgst_pause(GstElement *pipeline) {
  gst_element_set_state(pipeline, cgst_paused);
  return gst_element_get_state(pipeline, NULL, NULL, UINT64_MAX) != cgst_failure;
}

/// Plays from now on: running time 0 is at `base_time`.
static inline void cgst_play(GstElement *pipeline, int64_t base_time) {
  gst_element_set_base_time(pipeline, (uint64_t)base_time);
  gst_element_set_state(pipeline, cgst_playing);
}

/// Moves a paused pipeline to exactly `time`, where running time begins again, and waits for its frame.
static inline bool cgst_seek(GstElement *pipeline, double rate, int64_t time) {
  gst_element_seek(pipeline, rate, cgst_format_time, cgst_seek_flush | cgst_seek_accurate,
                   cgst_seek_set, time, cgst_seek_none, -1);
  return gst_element_get_state(pipeline, NULL, NULL, UINT64_MAX) != cgst_failure;
}

/// Returns the position in nanoseconds.
static inline int64_t cgst_position(GstElement *pipeline) {
  int64_t position = 0;
  gst_element_query_position(pipeline, cgst_format_time, &position);
  return position;
}
