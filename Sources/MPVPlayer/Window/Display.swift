#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The display on which a window can be opened.
package enum Display: Hashable, Sendable {
  /// A Wayland compositor, or an X server.
  case wayland, x11

  /// A Boolean value that indicates whether a server answers at the address in `WAYLAND_DISPLAY` or `DISPLAY`.
  ///
  /// It must be known beforehand: without a display mpv would try to take over the whole console (`drm`), or play into
  /// a window that SDL only pretends to have.
  package static var isThere: Bool { current != nil }

  /// The display that mpv would prefer.
  static var current: Display? {
    if let name = variable("WAYLAND_DISPLAY") {
      let path = name.hasPrefix("/") ? name : (variable("XDG_RUNTIME_DIR") ?? "") + "/" + name
      if LocalSocket.isListening(path) { return .wayland }
    }
    guard let name = variable("DISPLAY") else { return nil }
    guard let number = localNumber(of: name) else { return .x11 }
    let path = "/tmp/.X11-unix/X\(number)"
    return LocalSocket.isListening(path) || LocalSocket.isListening(path, isAbstract: true)
      ? .x11 : nil
  }

  /// mpv's outputs (`vo`) that open a window on the display, the best first; the second needs no graphics card.
  var outputs: String {
    switch self {
    case .wayland: "gpu,wlshm"
    case .x11: "gpu,x11"
    }
  }

  /// Returns values of mpv's `gpu-context` that stay on this display, the best first; since 0.39 it is a list.
  ///
  /// With `auto` mpv also tries the console (`drm`), which would take it over from its user, and closes descriptor 0,
  /// our keyboard, if there is no graphics card (0.35).
  ///
  /// - Parameter api: mpv's `gpu-api`.
  func graphicsContexts(api: String) -> [String] {
    switch (self, api.contains("vulkan")) {
    case (.wayland, true): ["waylandvk"]
    case (.wayland, false): ["wayland,waylandvk", "wayland"]
    case (.x11, true): ["x11vk"]
    case (.x11, false): ["x11egl,x11,x11vk", "x11egl"]
    }
  }

  /// Returns the 1 of `:1` or `:1.0`; nil for a display on the network, whose connection could take a long time
  /// (`X(7)`, "Display names").
  static func localNumber(of display: String) -> Int? {
    let parts = display.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].isEmpty || parts[0] == "unix" else { return nil }
    return Int(parts[1].prefix { $0 != "." })
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
