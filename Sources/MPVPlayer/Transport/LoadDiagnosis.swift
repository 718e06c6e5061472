import CMPV
import FileNames

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Finds the reason why a location couldn't be loaded.
enum LoadDiagnosis {
  /// The kind of resource that a location refers to.
  enum Kind: Hashable, Sendable {
    case local(path: String)
    case remote
    case forbidden
  }

  static func kind(of location: String) -> Kind {
    let scheme = location.range(of: "://").map { location[..<$0.lowerBound].lowercased() }
    switch scheme {
    case nil: return location == "-" || location.isEmpty ? .forbidden : .local(path: location)
    case "file": return .local(path: FileName.path(ofURL: location) ?? location)
    // These schemes read descriptors of this very process.
    case "fd", "fdclose": return .forbidden
    default: return .remote
    }
  }

  /// Returns the path of a local location; nil for others.
  static func path(of location: String) -> String? {
    if case .local(let path) = kind(of: location) { path } else { nil }
  }

  /// Returns a location as mpv opens it: a name that isn't UTF-8 as a URL.
  static func opened(_ location: String) -> String {
    guard FileName.isEncoded(location), let path = path(of: location) else { return location }
    return FileName.url(path)
  }

  /// Returns the first bytes of a regular file; nil if it can't be read.
  static func bytes(of path: String, limit: Int) -> [UInt8]? {
    let file = path.withFileName { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        read(file, $0.baseAddress! + length, $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      length += count
    }
    return Array(bytes.prefix(length))
  }

  /// Returns the reason for a failure to load.
  ///
  /// - Parameters:
  ///   - reach: what the location might open; nil for a film that the user loaded in mpv.
  ///   - code: the `mpv_error` with which the file ended.
  ///   - errors: mpv's log messages meanwhile, oldest first.
  static func reason(
    location: String, reach: FilmReach?, code: CInt, errors: [String]
  ) -> MPVError.Reason {
    if case .local(let path) = kind(of: location) {
      if FileName.status(of: path) == nil {
        return errno == EACCES ? .permissionDenied : .missingFile
      }
      if path.withFileName({ access($0, R_OK) }) != 0 { return .permissionDenied }
      if reach == .nothing,
        let content = bytes(of: path, limit: FileContent.headSize).flatMap(FileContent.init)
      {
        return .notAFilm(content)
      }
    } else if let status = errors.lazy.compactMap(httpStatus(in:)).last {
      return .refusedByServer(status: status)
    } else if let line = errors.last(where: isNetworkFailure) {
      return .unreachable(line)
    }
    switch code {
    case MPV_ERROR_UNKNOWN_FORMAT.rawValue: return .unsupportedFormat
    case MPV_ERROR_NOTHING_TO_PLAY.rawValue: return .nothingToPlay
    case MPV_ERROR_LOADING_FAILED.rawValue:
      // A file that exists, may be read, and still doesn't load, is damaged.
      if case .local = kind(of: location) { return .unsupportedFormat }
      return .loadingFailed(errors.last ?? "")
    default: return .loadingFailed(errors.last ?? "")
    }
  }

  /// Returns the status in FFmpeg's message: `HTTP error 404 Not Found`.
  private static func httpStatus(in line: String) -> Int? {
    guard let found = line.range(of: "HTTP error ") else { return nil }
    return Int(line[found.upperBound...].prefix(while: \.isNumber))
  }

  /// Returns whether a line contains a network error of FFmpeg or the C library.
  private static func isNetworkFailure(_ line: String) -> Bool {
    [
      "Connection refused", "Failed to resolve", "timed out", "unreachable", "No route to host",
      "Connection reset", "Network is", "Name or service not known",
    ].contains { line.contains($0) }
  }
}

extension StringProtocol {
  /// The standard library has this only with Foundation.
  fileprivate func range(of other: String) -> Range<Index>? {
    firstRange(of: other)
  }
}
