import FileNames

/// A file that names others: a playlist on this machine.
///
/// Only what it names matters here; mpv reads it. The content shows the format, as for mpv, and in case of doubt a text
/// counts as a name.
package struct FileList: Hashable, Sendable {
  /// The endings of files that may name others. All other files are films, whatever they contain.
  static let endings: Set = [
    "m3u", "m3u8", "pls", "edl", "cue", "asx", "wax", "wvx", "url", "strm",
  ]

  /// The maximum length in bytes.
  static let sizeLimit = 4 << 20

  /// The names, as far as they can lead anywhere.
  private let names: [String]

  package static func isList(_ path: String) -> Bool { endings.contains(ending(of: path)) }

  /// Returns a file name's ending, in lower case and without the dot; "" for none.
  static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  init(_ bytes: [UInt8]) {
    let text = Self.text(bytes)
    let isEDL = text.hasPrefix("# mpv EDL")
    let pieces = text.split { $0.isNewline || isEDL && ";,".contains($0) }
    names = pieces.flatMap { Self.names(in: $0.trimmed, isEDL: isEDL) }
  }

  /// Returns the films that a playlist names, if it only names files in its own folder: a list of files (M3U, PLS), not
  /// a stream in segments.
  ///
  /// - Returns: nil for any other file, which the player opens as it is.
  package static func films(in path: String) -> [String]? {
    guard ["m3u", "m3u8", "pls"].contains(ending(of: path)),
      let bytes = LoadDiagnosis.bytes(of: path, limit: sizeLimit + 1), bytes.count <= sizeLimit
    else { return nil }
    let folder = folder(of: path)
    let lines = text(bytes).split(whereSeparator: \.isNewline).map { String($0.trimmed) }
    guard !lines.contains(where: { $0.hasPrefix("#EXT-X-") }) else { return nil }
    let isPLS = ending(of: path) == "pls"
    let films = lines.compactMap { line -> String? in
      guard isPLS else { return line.isEmpty || line.hasPrefix("#") ? nil : line }
      guard line.prefix(4).lowercased() == "file", let sign = line.firstIndex(of: "=") else {
        return nil
      }
      return String(line[line.index(after: sign)...].trimmed)
    }
    let names = films.map { name(ofFile: $0, in: folder) }
    guard !names.isEmpty, !names.contains(where: isOutside) else { return nil }
    return names.map { folder + $0 }
  }

  /// Returns a name without the URL's scheme and without the folder's own path.
  private static func name(ofFile name: String, in folder: String) -> String {
    let name = name.hasPrefix("file://") ? String(name.dropFirst("file://".count)) : name
    let isInside = folder.hasPrefix("/") && name.hasPrefix(folder)
    return isInside ? String(name.dropFirst(folder.count)) : name
  }

  /// Returns the path of a file's folder, with a slash after it; "" for a relative path without a folder.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns the first name that leads out of a folder or to the network; nil for none. A symbolic link in the folder is
  /// the user's own.
  ///
  /// - Parameter folder: the folder's absolute path with a slash after it.
  func firstOutside(of folder: String = "") -> String? {
    names.first { Self.isOutside(Self.name(ofFile: $0, in: folder)) }
  }

  private static func isOutside(_ name: String) -> Bool {
    let lowercased = name.lowercased()
    if lowercased.contains("://")
      || ["/", "~", "file:", "crypto:", "crypto+"].contains(where: lowercased.hasPrefix)
    {
      return true
    }
    var depth = 0
    for part in name.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return true }
    }
    return false
  }

  private static func names(in line: Substring, isEDL: Bool) -> [String] {
    if line.hasPrefix("#") { return isEDL ? [] : quoted(in: line, after: "URI=") }
    if line.hasPrefix("<") { return quoted(in: line, after: "href") }
    if line.lowercased().hasPrefix("file ") {
      let rest = line.dropFirst("file ".count).trimmed
      return [rest.hasPrefix("\"") ? String(rest.dropFirst().prefix { $0 != "\"" }) : String(rest)]
    }
    var name = line
    // "File1=…", "URL=…", and EDL's "file=…", "!mp4_dash,init=…"
    if let sign = line.firstIndex(of: "="),
      line[..<sign].trimmed.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    {
      name = line[line.index(after: sign)...].trimmed
    }
    // EDL's "%length%name"
    if isEDL, name.hasPrefix("%") {
      let rest = name.dropFirst().drop(while: \.isNumber)
      if rest.hasPrefix("%") { name = rest.dropFirst() }
    }
    return [String(name)]
  }

  /// Returns the attributes with a name, in any case; for what looks otherwise, the whole line.
  private static func quoted(in line: Substring, after attribute: String) -> [String] {
    var found: [String] = []
    var rest = line
    while let start = rest.indices.first(where: {
      rest[$0...].prefix(attribute.count).lowercased() == attribute.lowercased()
    }) {
      rest = rest[start...].dropFirst(attribute.count)
      let value = rest.drop { $0 == " " || $0 == "=" }
      guard let mark = value.first, mark == "\"" || mark == "'" else {
        found.append(String(value))
        continue
      }
      found.append(String(value.dropFirst().prefix { $0 != mark }))
    }
    return found
  }

  private static func text(_ bytes: [UInt8]) -> String {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFF, 0xFE): utf16(bytes, high: 1)
    case (0xFE, 0xFF): utf16(bytes, high: 0)
    default:
      FileName.text(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
    }
  }

  private static func utf16(_ bytes: [UInt8], high: Int) -> String {
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
    return start[...end]
  }
}
