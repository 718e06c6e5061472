/// The help of keys that are explained in one line.
enum KeyHelp {
  /// Returns texts with their different words separated by slashes: "next subtitles" and "previous subtitles" become
  /// "next / previous subtitles".
  static func merged(_ texts: [String]) -> String {
    let all = texts.map { $0.split(separator: " ") }
    guard let first = all.first, Set(texts).count > 1 else { return texts.first ?? "" }
    let shortest = all.map(\.count).min() ?? 0
    var start = 0
    while start < shortest, all.allSatisfy({ $0[start] == first[start] }) { start += 1 }
    var end = 0
    while end < shortest - start,
      all.allSatisfy({ $0[$0.count - 1 - end] == first[first.count - 1 - end] })
    {
      end += 1
    }
    let different = all.map { $0[start..<($0.count - end)].joined(separator: " ") }
    let parts = [
      first[..<start].joined(separator: " "), different.joined(separator: " / "),
      first[(first.count - end)...].joined(separator: " "),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
