import Timekeeping

extension ItemState.Phase: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind = "k"
    case itemTime = "t"
    case isExact = "x"
    case due = "d"
    case timeline = "l"
  }

  private enum Kind: String, Codable { case paused, starting, playing }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .paused:
      self = .paused(
        at: try container.decode(MediaTime.self, forKey: .itemTime),
        isExact: try container.decode(Bool.self, forKey: .isExact))
    case .starting:
      self = .starting(
        from: try container.decode(MediaTime.self, forKey: .itemTime),
        due: try container.decode(GroupTime.self, forKey: .due))
    case .playing:
      self = .playing(try container.decode(Timeline.self, forKey: .timeline))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .paused(let at, let isExact):
      try container.encode(Kind.paused, forKey: .kind)
      try container.encode(at, forKey: .itemTime)
      try container.encode(isExact, forKey: .isExact)
    case .starting(let from, let due):
      try container.encode(Kind.starting, forKey: .kind)
      try container.encode(from, forKey: .itemTime)
      try container.encode(due, forKey: .due)
    case .playing(let timeline):
      try container.encode(Kind.playing, forKey: .kind)
      try container.encode(timeline, forKey: .timeline)
    }
  }
}
