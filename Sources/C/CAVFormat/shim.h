#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include "layouts.h"

// Macros with a cast and an operator in them, which Swift can't import.
static const int64_t matinee_no_time = AV_NOPTS_VALUE;
static const int matinee_invalid_data = AVERROR_INVALIDDATA;
