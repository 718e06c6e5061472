#pragma once
#include <fribidi/fribidi.h>

// Swift doesn't import constants whose definition contains a cast, and its enumerators have an integer type that
// differs from that of the functions.

/// Left to right, as a paragraph's direction.
static inline FriBidiParType cfribidi_left_to_right(void) { return FRIBIDI_PAR_LTR; }
/// Right to left, as a paragraph's direction.
static inline FriBidiParType cfribidi_right_to_left(void) { return FRIBIDI_PAR_RTL; }

/// 1 for a letter that is written from left to right, -1 from right to left, 0 for the rest.
static inline int cfribidi_strong_direction(FriBidiChar character) {
  FriBidiCharType type = fribidi_get_bidi_type(character);
  if (!FRIBIDI_IS_STRONG(type)) return 0;
  return FRIBIDI_IS_RTL(type) ? -1 : 1;
}

/// Replaces Arabic letters by their presentation forms, one for one: no ligatures, which have other widths.
static inline void cfribidi_shape(FriBidiStrIndex length, const FriBidiCharType *types, const FriBidiLevel *levels,
                                  FriBidiArabicProp *properties, FriBidiChar *text) {
  fribidi_get_joining_types(text, length, properties);
  fribidi_join_arabic(types, length, levels, properties);
  fribidi_shape_arabic(FRIBIDI_FLAG_SHAPE_ARAB_PRES, levels, length, properties, text);
}
