#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum Display {
  /// Whether a window could be opened: `DISPLAY` (X11) or `WAYLAND_DISPLAY` is set.
  ///
  /// Without either, mpv would try to take over the whole console (`drm`).
  static var isThere: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { name in
      guard let value = getenv(name) else { return false }
      return value.pointee != 0
    }
  }
}
