#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <stdbool.h>
#include "layouts.h"

// Macros with a cast and an operator in them, which Swift can't import.
static const int64_t matinee_no_time = AV_NOPTS_VALUE;
static const int matinee_invalid_data = AVERROR_INVALIDDATA;
static const int matinee_end_of_file = AVERROR_EOF;
static const int matinee_interrupted = AVERROR_EXIT;
static const int matinee_try_again = AVERROR(EAGAIN);

/// Returns whether the libraries of this process have the major versions of the headers, and so their structures.
static inline bool matinee_libraries_match_headers(void) {
  return avformat_version() >> 16 == LIBAVFORMAT_VERSION_MAJOR && avcodec_version() >> 16 == LIBAVCODEC_VERSION_MAJOR &&
         avutil_version() >> 16 == LIBAVUTIL_VERSION_MAJOR && swresample_version() >> 16 == LIBSWRESAMPLE_VERSION_MAJOR &&
         swscale_version() >> 16 == LIBSWSCALE_VERSION_MAJOR;
}

/// Arrays in structures are tuples in Swift.
static inline void matinee_scale(struct SwsContext *scaler, const AVFrame *from, AVFrame *to) {
  sws_scale(scaler, (const uint8_t *const *)from->data, from->linesize, 0, from->height, to->data, to->linesize);
}
