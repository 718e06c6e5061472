/// The kind of a file that has the name of a film but isn't one, as far as the user should know it.
package enum FileContent: Hashable, Sendable {
  /// A playlist that mpv would open if the file's name had this ending.
  case list(ending: String)
  /// A list or description that isn't opened under any name.
  case sources
  /// An archive, which mpv would open if its name said so.
  case archive

  /// The number of bytes at a file's beginning that show its kind.
  static let headSize = 512

  /// - Returns: nil for anything else, for example a damaged film.
  init?(_ head: [UInt8]) {
    let archives: [[UInt8]] = [
      Array("PK\u{3}\u{4}".utf8), Array("Rar!".utf8), [0x37, 0x7A, 0xBC, 0xAF], [0x1F, 0x8B],
      Array("BZh".utf8), [0xFD, 0x37, 0x7A, 0x58],
    ]
    let isTar = head.dropFirst(257).starts(with: "ustar".utf8)
    if isTar || archives.contains(where: { head.starts(with: $0) }) {
      self = .archive
      return
    }
    let text = String(decoding: head.filter { $0 > 0 && $0 < 128 }, as: UTF8.self)
      .drop(while: \.isWhitespace)
    let lowercased = text.lowercased()
    if text.hasPrefix("# mpv EDL") {
      self = .list(ending: "edl")
    } else if text.hasPrefix("#EXTM3U") {
      self = .list(ending: "m3u8")
    } else if lowercased.hasPrefix("[playlist]") {
      self = .list(ending: "pls")
    } else if lowercased.hasPrefix("[internetshortcut]") {
      self = .list(ending: "url")
    } else if lowercased.hasPrefix("[reference]") || lowercased.hasPrefix("<asx") {
      self = .list(ending: "asx")
    } else if text.hasPrefix("v=0") || text.hasPrefix("ffconcat version") {
      self = .sources
    } else if text.split(whereSeparator: \.isNewline).contains(where: { $0.hasPrefix("FILE \"") }) {
      self = .list(ending: "cue")
    } else {
      return nil
    }
  }
}

extension FileContent: CustomStringConvertible {
  package var description: String {
    switch self {
    case .list(let ending):
      "a playlist, which would open others. If you trust it, rename it to end in .\(ending)."
    case .sources: "a description of streams or of other files. Matinee opens none."
    case .archive: "an archive. Unpack it, or rename it to end in .zip or as its kind is called."
    }
  }
}
