/// The codecs of an initialization segment, as browsers name them (RFC 6381 and the codecs' own registrations).
enum CodecNames {
  /// Returns the type of a segment: `video/mp4; codecs="avc1.64001f,mp4a.40.2"`.
  static func mime(_ segment: [UInt8]) -> String {
    var names: [String] = []
    var hasPicture = false
    for track in boxes(segment[...]).first(where: { $0.name == "moov" }).map({
      boxes($0.body).filter { $0.name == "trak" }
    }) ?? [] {
      var body: ArraySlice<UInt8>? = track.body
      for name in ["mdia", "minf", "stbl", "stsd"] {
        body = body.flatMap { boxes($0).first { $0.name == name }?.body }
      }
      guard let entry = body.flatMap({ boxes($0.dropFirst(8)).first }) else { continue }
      // The fields of a picture's entry and of a sound's entry before their boxes.
      let picture = boxes(entry.body.dropFirst(78))
      let isPicture = ["avc1", "hvc1", "vp09", "av01"].contains(entry.name)
      hasPicture = hasPicture || isPicture
      names.append(name(entry.name, isPicture ? picture : boxes(entry.body.dropFirst(28))))
    }
    return "\(hasPicture ? "video" : "audio")/mp4; codecs=\"\(names.joined(separator: ","))\""
  }

  private typealias Box = (name: String, body: ArraySlice<UInt8>)

  private static func boxes(_ bytes: ArraySlice<UInt8>) -> [Box] {
    var found: [Box] = []
    var rest = bytes
    while rest.count >= 8 {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= rest.count else { break }
      let box = rest.prefix(size)
      found.append(
        (String(decoding: box.dropFirst(4).prefix(4), as: UTF8.self), box.dropFirst(8)))
      rest = rest.dropFirst(size)
    }
    return found
  }

  private static func name(_ entry: String, _ boxes: [Box]) -> String {
    func fields(_ name: String, _ count: Int) -> [UInt8]? {
      boxes.first { $0.name == name && $0.body.count >= count }.map { Array($0.body) }
    }
    switch entry {
    case "avc1":
      guard let fields = fields("avcC", 4) else { break }
      return "avc1." + fields[1...3].map { hex($0) }.joined()
    case "hvc1":
      guard let fields = fields("hvcC", 13) else { break }
      return "hvc1." + hevc(fields)
    case "vp09":
      guard let fields = fields("vpcC", 7) else { break }
      return "vp09."
        + [fields[4], fields[5], fields[6] >> 4].map { decimal($0) }.joined(separator: ".")
    case "av01":
      guard let fields = fields("av1C", 3) else { break }
      let depth: UInt8 = fields[2] & 0x40 == 0 ? 8 : fields[2] & 0x20 == 0 ? 10 : 12
      let tier = fields[2] & 0x80 == 0 ? "M" : "H"
      return "av01.\(fields[1] >> 5).\(decimal(fields[1] & 31))\(tier).\(decimal(depth))"
    case "mp4a":
      guard let fields = fields("esds", 4) else { break }
      return mpeg(fields.dropFirst(4))
    case "fLaC": return "flac"
    case "Opus": return "opus"
    default: break
    }
    return entry
  }

  /// ISO/IEC 14496-15, E.3.
  private static func hevc(_ fields: [UInt8]) -> String {
    let space = ["", "A", "B", "C"][Int(fields[1] >> 6)]
    var compatibility: UInt32 = 0
    for index in 0..<32 where fields[2 + index / 8] & 0x80 >> (index % 8) != 0 {
      compatibility |= 1 << index
    }
    let tier = fields[1] & 0x20 == 0 ? "L" : "H"
    var constraints = Array(fields[6..<12])
    while constraints.last == 0 { constraints.removeLast() }
    let parts =
      ["\(space)\(fields[1] & 31)", String(compatibility, radix: 16, uppercase: true)]
      + ["\(tier)\(fields[12])"] + constraints.map { String($0, radix: 16, uppercase: true) }
    return parts.joined(separator: ".")
  }

  /// Reads the descriptors of ISO/IEC 14496-1: the object type, and for AAC the audio object type.
  private static func mpeg(_ descriptors: ArraySlice<UInt8>) -> String {
    var rest = descriptors
    var type: UInt8 = 0
    while let tag = rest.popFirst() {
      while let length = rest.popFirst(), length & 0x80 != 0 {}
      switch tag {
      // ES_Descriptor: its number and its flags.
      case 3: rest = rest.dropFirst(3)
      case 4:
        type = rest.first ?? 0
        rest = rest.dropFirst(13)
      case 5:
        guard type == 0x40, let first = rest.first else { break }
        let second = rest.dropFirst().first ?? 0
        let object =
          first >> 3 == 31 ? 32 + Int(first & 7) << 3 + Int(second >> 5) : Int(first >> 3)
        return "mp4a.40.\(object)"
      default: rest = rest.dropFirst(rest.count)
      }
    }
    return type == 0x69 || type == 0x6B ? "mp3" : "mp4a.\(hex(type))"
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func decimal(_ byte: UInt8) -> String { (byte < 10 ? "0" : "") + String(byte) }
}
