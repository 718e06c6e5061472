extension FileName {
  /// The words of a release's name from which on it describes the file. A resolution, such as `1080p`, is one too.
  private static let releaseWords: Set<String> = [
    "bluray", "blu-ray", "bdrip", "brrip", "remux", "web-dl", "webdl", "webrip", "hdtv", "pdtv",
    "dvdrip", "hdrip", "x264", "x265", "h264", "h265", "hevc", "xvid", "divx",
  ]
  /// The words that may come before them.
  private static let qualities: Set<Substring> = [
    "-", "WEB", "UHD", "4K", "HDR", "PROPER", "REPACK", "INTERNAL", "MULTI", "AMZN", "NF",
  ]

  /// Returns a film's title: the name of its file, without the extension, as a person would write it.
  package static func film(_ name: String) -> String {
    let name = shown(name)
    let isOneWord = !name.contains(" ")
    let words = name.split { ". _".contains($0) }
    let end = words.dropFirst().firstIndex { word in
      let isBracketed = word.hasPrefix("[") || word.hasPrefix("(")
      let mark = word.filter { !"[](){}".contains($0) }.lowercased()
      let first = mark.prefix { $0 != "-" }
      let isResolution =
        "pi".contains(first.last ?? " ") && (4...5).contains(first.count)
        && first.dropLast().allSatisfy { ("0"..."9").contains($0) }
      return isResolution
        || (isOneWord || isBracketed)
          && (releaseWords.contains(mark) || releaseWords.contains(String(first)))
    }
    if let end {
      var title = words[..<end]
      while title.count > 1, let last = title.last, qualities.contains(last) { title.removeLast() }
      if title.count > 1, title[0].hasPrefix("["), title[0].hasSuffix("]") { title.removeFirst() }
      return title.joined(separator: " ")
    }
    guard isOneWord, words.count > 1 else { return name }
    // A number keeps its dot.
    let digits = words.map { $0.allSatisfy(\.isNumber) }
    return words.indices.reduce(into: "") { title, index in
      let isNumber = index > 0 && digits[index - 1] && digits[index]
      title += (index == 0 ? "" : isNumber ? "." : " ") + words[index]
    }
  }
}
