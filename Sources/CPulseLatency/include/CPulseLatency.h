// Tells a shared library when the sound that it writes now will be heard, from PulseAudio's raw times.
//
// The library's own table of imported functions (its global offset table) is changed, for pa_stream_get_latency(3), and
// for no other library.
//
// PulseAudio's own answer is smoothed, and up to 2 ms off for half a minute after each start. Asking the server each time
// is exact, as mpv does with `pulse-latency-hacks`, but mpv asks 200 times a second, which costs half as much CPU time
// again as all the rest of its playing. Here a reading of the server is used for a quarter of a second: sound moves
// evenly, so that the time since the reading is all that has to be added.
#pragma once
#include <stdbool.h>

/// Begins to answer the loaded library whose file name contains `library`, whose streams must be for playing.
///
/// Returns false if the library isn't loaded as a shared library, or doesn't import pa_stream_get_latency(3): then
/// nothing is changed.
bool pulse_latency_install(const char *library);
