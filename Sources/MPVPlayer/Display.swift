#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether a window could be opened.
public enum Display {
  /// Something answers where `WAYLAND_DISPLAY` or `DISPLAY` points.
  ///
  /// It has to be known beforehand: without a display mpv would try to take over the whole console
  /// (`drm`), or play into a window that SDL only pretends to have.
  public static var isThere: Bool {
    if let name = variable("WAYLAND_DISPLAY") {
      let path = name.hasPrefix("/") ? name : (variable("XDG_RUNTIME_DIR") ?? "") + "/" + name
      if isListening(path) { return true }
    }
    guard let name = variable("DISPLAY") else { return false }
    guard let number = localNumber(of: name) else { return true }
    let path = "/tmp/.X11-unix/X\(number)"
    return isListening(path) || isListening(path, isAbstract: true)
  }

  /// The 1 of `:1` or `:1.0`; nil for a display that is reached over the network, which can't be asked in no
  /// time (`X(7)`, "Display names").
  static func localNumber(of display: String) -> Int? {
    let parts = display.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].isEmpty || parts[0] == "unix" else { return nil }
    return Int(parts[1].prefix { $0 != "." })
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// - Parameter isAbstract: Linux's names outside of the file system begin with a zero byte (`unix(7)`).
  private static func isListening(_ path: String, isAbstract: Bool = false) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = (isAbstract ? [0] : []) + Array(path.utf8)
    let length = withUnsafeMutableBytes(of: &address.sun_path) { buffer -> Int? in
      guard name.count < buffer.count else { return nil }
      buffer.copyBytes(from: name)
      return name.count + (isAbstract ? 0 : 1)
    }
    guard let length, let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else {
      return false
    }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(offset + length)) == 0
      }
    }
  }
}
