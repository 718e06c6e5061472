import Foundation

/// Hides this process's arguments from the list of processes, which every user of the machine can read: an invite, an
/// address with a password, the film.
enum HiddenArguments {
  /// Overwrites the arguments in the memory from which the system reads them. The command and the names of options stay.
  ///
  /// Swift must have copied the arguments before.
  static func hide(commands: [String]) {
    guard let memory = memory() else { return }
    for range in hidden(in: Array(memory), commands: commands) {
      for index in range { memory[index] = UInt8(ascii: "*") }
    }
  }

  /// Returns the bytes to overwrite in a command line whose arguments end with a null byte each.
  static func hidden(in line: [UInt8], commands: [String]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for argument in line.split(separator: 0, omittingEmptySubsequences: false).dropFirst() {
      let text = String(decoding: argument, as: UTF8.self)
      var start = argument.startIndex
      if text.hasPrefix("--") {
        start = argument.firstIndex(of: UInt8(ascii: "=")).map { $0 + 1 } ?? argument.endIndex
      } else if commands.contains(text) || text.hasPrefix("-") && argument.count <= 2 {
        start = argument.endIndex
      }
      if start < argument.endIndex { ranges.append(start..<argument.endIndex) }
    }
    return ranges
  }

  /// The memory of the command line: fields 48 and 49 of proc_pid_stat(5). Nil if the system doesn't tell.
  private static func memory() -> UnsafeMutableBufferPointer<UInt8>? {
    guard let text = FileManager.default.contents(atPath: "/proc/self/stat"),
      let name = text.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    // After the name, which may contain anything, comes field 3.
    let fields = String(decoding: text[(name + 1)...], as: UTF8.self).split(separator: " ")
    guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]),
      start < end, let pointer = UnsafeMutablePointer<UInt8>(bitPattern: start)
    else { return nil }
    return UnsafeMutableBufferPointer(start: pointer, count: Int(end - start))
  }
}
