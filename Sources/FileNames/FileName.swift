#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The names of files as texts.
///
/// A file's name is any bytes, and old disks have names in other encodings than UTF-8. A text with such a name has a
/// private-use character for each byte that isn't part of UTF-8: U+EF80 to U+EFFF for 0x80 to 0xFF. A name that contains
/// one of these characters itself is taken for bytes that aren't UTF-8, so that each name has one text.
package enum FileName {
  private static let first: UInt32 = 0xEF80
  private static let characters = first...0xEFFF

  /// Returns the text of a name.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var index = bytes.startIndex
    while true {
      let count: Int
      var scalar: Unicode.Scalar?
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return String(scalars)
      case .error(let length): count = length
      case .valid(let encoded):
        count = encoded.count
        scalar = Unicode.UTF8.decode(encoded)
      }
      let end = bytes.index(index, offsetBy: count)
      if let scalar, !characters.contains(scalar.value) {
        scalars.append(scalar)
      } else {
        for byte in bytes[index..<end] {
          scalars.append(Unicode.Scalar(first + UInt32(byte & 0x7F))!)
        }
      }
      index = end
    }
  }

  /// Returns the text of a name that ends with a null byte.
  package static func text(cString: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: cString, count: strlen(cString)).withMemoryRebound(to: UInt8.self) {
      text($0)
    }
  }

  /// Returns the bytes of a name.
  package static func bytes(_ text: String) -> [UInt8] {
    guard isEncoded(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      characters.contains(scalar.value)
        ? [UInt8(scalar.value - first) | 0x80] : Array(String(scalar).utf8)
    }
  }

  /// Returns whether a name isn't UTF-8.
  package static func isEncoded(_ text: String) -> Bool {
    text.unicodeScalars.contains { characters.contains($0.value) }
  }

  /// Returns a name for people, with a replacement character for each byte that isn't part of UTF-8.
  package static func shown(_ text: String) -> String {
    guard isEncoded(text) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(characters.contains(scalar.value) ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }

  /// Returns the URL of an absolute path.
  package static func url(_ path: String) -> String {
    let plain = Set("/-._~".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var url = Array("file://".utf8)
    for byte in bytes(path) {
      let isPlain =
        plain.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      url += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: url, as: UTF8.self)
  }

  /// Returns the path in a `file:` URL of this machine, which may be a relative one; nil for any other text.
  package static func path(ofURL url: String) -> String? {
    guard url.prefix(5).lowercased() == "file:" else { return nil }
    var rest = url.dropFirst(5)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    }
    let encoded = bytes(String(rest))
    var decoded: [UInt8] = []
    var index = 0
    while index < encoded.count {
      let digits = encoded[index...].prefix(3).dropFirst()
      if encoded[index] == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(encoded[index])
        index += 1
      }
    }
    return text(decoded)
  }

  /// Returns the status of what is at a path, or of what a link there leads to; nil if it can't be read: `errno` has the
  /// reason. Waits for the disk.
  package static func status(of path: String) -> stat? {
    var status = stat()
    return path.withFileName { stat($0, &status) } == 0 ? status : nil
  }

  /// Returns a path with the user's home, as the environment names it, for `~` at its beginning.
  package static func expandingHome(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return text(cString: home) + path.dropFirst()
  }

  /// The path of the current folder.
  package static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return text(cString: path)
  }

  /// Returns the names in a folder, in no order, without `.` and `..`.
  ///
  /// - Returns: nil if the folder can't be read; `errno` has the reason.
  package static func names(in folder: String) -> [String]? {
    guard let directory = folder.withFileName({ opendir($0) }) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { return errno == 0 ? names : nil }
      let name = name(of: entry)
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Returns the name of an entry that `readdir` returned.
  package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // The entry's memory may be shorter than the structure's field.
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    let name = UnsafeRawPointer(entry) + offset
    return text(cString: name.assumingMemoryBound(to: CChar.self))
  }
}

extension String {
  /// Calls `body` with the bytes of this text as a file's name, with a null byte after them.
  package func withFileName<Result>(
    _ body: (UnsafePointer<CChar>) throws -> Result
  ) rethrows -> Result {
    guard FileName.isEncoded(self) else { return try withCString(body) }
    return try (FileName.bytes(self).map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      try body($0.baseAddress!)
    }
  }
}
