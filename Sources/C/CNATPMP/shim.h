#pragma once
#include <natpmp.h>

// `natpmpresp_t`'s anonymous union arrives in Swift as its member `pnu`.
