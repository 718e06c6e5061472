#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include "layouts.h"

// What Swift can't import: a macro with a cast in it.
static const int64_t matinee_no_time = AV_NOPTS_VALUE;
