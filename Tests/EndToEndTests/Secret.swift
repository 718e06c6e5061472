import Foundation

/// A text that must stay in the party, and the forms in which it might be found.
struct Secret {
  var name: String
  private var forms: [Data]

  /// - Parameter text: long enough not to occur by chance.
  init(_ name: String, _ text: String) {
    self.init(name, bytes: Data(text.utf8))
    forms.append(text.data(using: .utf16LittleEndian)!)
    forms.append(text.data(using: .utf16BigEndian)!)
    // As JSON has it, with every slash escaped.
    forms.append(Data(text.replacingOccurrences(of: "/", with: "\\/").utf8))
  }

  init(_ name: String, bytes: Data) {
    precondition(bytes.count >= 6, "\(name) may turn up by chance")
    self.name = name
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    forms = [bytes, Data(bytes.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)]
    // Base64 of a text with the secret in its middle: the part that is independent of the text
    // around it, for each of the three possible offsets.
    for lead in 0..<3 {
      let padded = Data(count: lead) + bytes
      let whole = padded.prefix(padded.count / 3 * 3).base64EncodedString()
      let inside = whole.dropFirst(lead == 0 ? 0 : 4)
      if inside.count >= 8 {
        forms.append(Data(inside.utf8))
        forms.append(
          Data(
            inside.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
              .utf8))
      }
    }
  }

  func isIn(_ data: Data) -> Bool {
    data.withUnsafeBytes { all in
      forms.contains { form in form.withUnsafeBytes { Self.holds(all, $0) } }
    }
  }

  /// `memmem(3)`, which Swift doesn't import; a hundred megabytes are searched for a hundred forms.
  private static func holds(_ all: UnsafeRawBufferPointer, _ form: UnsafeRawBufferPointer) -> Bool {
    // Memory is full of zeros, so the search begins with another byte.
    guard let anchor = form.firstIndex(where: { $0 != 0 }), all.count >= form.count else {
      return false
    }
    var place = all.baseAddress! + anchor
    let end = all.baseAddress! + all.count - form.count + anchor
    while place <= end, let hit = memchr(place, CInt(form[anchor]), end - place + 1) {
      if memcmp(hit - anchor, form.baseAddress!, form.count) == 0 { return true }
      place = UnsafeRawPointer(hit) + 1
    }
    return false
  }
}

/// Reading another process's memory.
enum ProcessMemory {
  /// Returns all of the process's readable and writable memory, which has every text that it still
  /// holds.
  static func read(of process: pid_t) throws -> Data {
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else {
      throw MatineeProcess.Missing(description: "its memory can't be read: errno \(errno)")
    }
    defer { close(memory) }
    var all = Data()
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words[1].hasPrefix("rw") else { continue }
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      var place = ends[0]
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      while place < ends[1] {
        let wanted = min(buffer.count, Int(ends[1] - place))
        let count = pread(memory, &buffer, wanted, off_t(place))
        // A page that was never touched, or one of the kernel's own.
        guard count > 0 else { break }
        all.append(contentsOf: buffer.prefix(count))
        place += UInt64(count)
      }
    }
    return all
  }
}
