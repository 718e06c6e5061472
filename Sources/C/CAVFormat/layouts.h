#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stddef.h>

// FFmpeg moves the fields of its public structures between major versions, and appends fields within one. Offsets in
// bytes on 64-bit systems, compiled from the headers of FFmpeg 4.4 (libavformat 58), 5.1 (59), 6.1 (60), 7.1 (61) and
// 9.0 (63). Those of 61 and 63 are equal, and so 62 has them too. The headers that this is compiled with are checked
// against their row below. Fields that all of these versions have at the same offset aren't in the table.

/// The offsets of the fields that AVFormat reads.
struct matinee_layout {
  int nb_chapters, duration, metadata, interrupt_callback;  // AVFormatContext
  int codecpar, time_base, start_time, disposition, stream_metadata, avg_frame_rate, attached_pic;  // AVStream
  int width, height, channels;  // AVCodecParameters
};

#define MATINEE_LAYOUT_58 1188, 1096, 1200, 1224, 208, 24, 32, 56, 72, 80, 88, 56, 60, 112
#define MATINEE_LAYOUT_59 164, 72, 176, 200, 208, 16, 24, 48, 64, 72, 80, 56, 60, 148
#define MATINEE_LAYOUT_60 164, 72, 176, 200, 16, 32, 40, 64, 80, 88, 96, 56, 60, 148
#define MATINEE_LAYOUT_61 72, 104, 192, 216, 16, 32, 40, 64, 80, 88, 96, 72, 76, 132

/// Returns the layout of a major version of libavformat; null for an unknown one.
static inline const struct matinee_layout *matinee_layout_of(unsigned version) {
  static const struct matinee_layout known[] = {
    {MATINEE_LAYOUT_58}, {MATINEE_LAYOUT_59}, {MATINEE_LAYOUT_60},
    {MATINEE_LAYOUT_61}, {MATINEE_LAYOUT_61}, {MATINEE_LAYOUT_61},
  };
  return version >= 58 && version < 58 + sizeof known / sizeof *known ? &known[version - 58] : NULL;
}

// The row of the headers that this is compiled with. A newer version needs a row of its own.
#if LIBAVFORMAT_VERSION_MAJOR == 59
#define MATINEE_LAYOUT_HERE MATINEE_LAYOUT_59
#elif LIBAVFORMAT_VERSION_MAJOR == 60
#define MATINEE_LAYOUT_HERE MATINEE_LAYOUT_60
#elif LIBAVFORMAT_VERSION_MAJOR >= 61 && LIBAVFORMAT_VERSION_MAJOR <= 63
#define MATINEE_LAYOUT_HERE MATINEE_LAYOUT_61
#else
#error "layouts.h has no row for this version of libavformat"
#endif
#define MATINEE_CHECK(...) MATINEE_CHECK_EACH(__VA_ARGS__)
#define MATINEE_CHECK_EACH(chapters, length, tags, interrupt, codec, base, start, kind, own_tags, rate, picture, \
                           columns, rows, channels) \
  _Static_assert( \
      offsetof(AVFormatContext, nb_chapters) == chapters && offsetof(AVFormatContext, duration) == length && \
          offsetof(AVFormatContext, metadata) == tags && \
          offsetof(AVFormatContext, interrupt_callback) == interrupt, \
      "AVFormatContext"); \
  _Static_assert( \
      offsetof(AVStream, codecpar) == codec && offsetof(AVStream, time_base) == base && \
          offsetof(AVStream, start_time) == start && offsetof(AVStream, disposition) == kind && \
          offsetof(AVStream, metadata) == own_tags && offsetof(AVStream, avg_frame_rate) == rate && \
          offsetof(AVStream, attached_pic) == picture, \
      "AVStream"); \
  _Static_assert( \
      offsetof(AVCodecParameters, width) == columns && offsetof(AVCodecParameters, height) == rows && \
          offsetof(AVCodecParameters, ch_layout.nb_channels) == channels, \
      "AVCodecParameters")
MATINEE_CHECK(MATINEE_LAYOUT_HERE);
