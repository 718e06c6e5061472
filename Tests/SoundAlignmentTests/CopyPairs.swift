#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension CopyPair {
  private typealias P = Part

  static let encodings: [CopyPair] = [
    CopyPair(name: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "96k"], format: "mp3"),
    CopyPair(name: "opus in Matroska", arguments: ["-c:a", "libopus"], format: "mkv"),
    CopyPair(
      name: "AC-3, 5.1", arguments: ["-ac", "6", "-c:a", "ac3", "-ar", "48000"], format: "ts",
      expectation: .aligned([P(start: 0, end: length, offset: 0.005)])),
    CopyPair(
      name: "low bit rate",
      arguments: ["-c:a", "aac", "-aac_coder", "fast", "-b:a", "24k", "-ar", "22050"]),
    CopyPair(name: "FLAC", arguments: ["-c:a", "flac", "-ar", "44100"], format: "mkv"),
    CopyPair(
      name: "32 kHz in a transport stream",
      arguments: ["-c:a", "aac", "-aac_coder", "fast", "-ar", "32000"],
      format: "ts",
      expectation: .aligned([P(start: 0, end: length, offset: 0.032)])),
    CopyPair(
      name: "mp3 in Matroska", arguments: ["-c:a", "libmp3lame", "-ar", "44100"], format: "mkv",
      expectation: .aligned([P(start: 0, end: length, offset: 0.025)])),
    CopyPair(
      name: "quieter", arguments: ["-af", "volume=-12dB", "-c:a", "aac", "-aac_coder", "fast"]),
    CopyPair(
      name: "compressed",
      arguments: [
        "-af", "acompressor=threshold=0.05:ratio=8:attack=5:release=200", "-c:a", "aac",
        "-aac_coder", "fast",
      ]),
    CopyPair(
      name: "loudnorm",
      arguments: [
        "-af", "aresample=48000,loudnorm,aformat=channel_layouts=mono", "-c:a", "aac", "-aac_coder",
        "fast",
      ]),
    CopyPair(
      name: "low noise",
      own: {
        var noise = SeededGenerator(seed: 5)
        return film.map { $0 + .random(in: -0.004...0.004, using: &noise) }
      }),
    CopyPair(
      name: "delayed by the container",
      arguments: ["-af", "adelay=1500", "-c:a", "aac", "-aac_coder", "fast"],
      expectation: .aligned([P(start: 0, end: length, offset: 1.5)])),
    CopyPair(
      name: "begins late",
      arguments: [
        "-f", "lavfi", "-i", "color=s=32x32:r=5:d=20", "-filter_complex",
        "[0:a]asetpts=PTS+2/TB[a]",
        "-map", "1:v", "-map", "[a]", "-c:v", "libx264", "-c:a", "aac", "-aac_coder", "fast",
      ], format: "mkv", expectation: .aligned([P(start: 0, end: length, offset: 2)])),
    CopyPair(
      name: "begins late in a transport stream",
      arguments: [
        "-f", "lavfi", "-i", "color=s=32x32:r=5:d=20", "-filter_complex",
        "[0:a]asetpts=PTS+2/TB[a]",
        "-map", "1:v", "-map", "[a]", "-c:v", "libx264", "-bf", "0", "-c:a", "aac", "-aac_coder",
        "fast",
      ], format: "ts", expectation: .aligned([P(start: 0, end: length, offset: 2)])),
  ]

  static let cuts: [CopyPair] = [
    CopyPair(
      name: "an intro of 12.4 s", own: { SyntheticSound.film(seconds: 12.4, seed: 77) + film },
      expectation: .aligned([P(start: 0, end: length, offset: 12.4)])),
    CopyPair(
      name: "lacks the first 7 s", own: { film.part(7, length) },
      expectation: .aligned([P(start: 7, end: length, offset: -7)])),
    CopyPair(
      name: "lacks 40 s in the middle", own: { film.part(0, 100) + film.part(140, length) },
      expectation: .aligned([
        P(start: 0, end: 100, offset: 0), P(start: 140, end: length, offset: -40),
      ])),
    CopyPair(
      name: "lacks three parts",
      own: { film.part(0, 50) + film.part(62, 110) + film.part(113, 170) + film.part(190, length) },
      expectation: .aligned([
        P(start: 0, end: 50, offset: 0), P(start: 62, end: 110, offset: -12),
        P(start: 113, end: 170, offset: -15), P(start: 190, end: length, offset: -35),
      ])),
    CopyPair(
      name: "20 s of advertisements",
      own: {
        film.part(0, 130) + SyntheticSound.film(seconds: 20, seed: 78) + film.part(130, length)
      },
      expectation: .aligned([
        P(start: 0, end: 130, offset: 0), P(start: 130, end: length, offset: 20),
      ])),
    CopyPair(
      name: "advertisements in both",
      party: {
        film.part(0, 90) + SyntheticSound.film(seconds: 35, seed: 79).part(5, 35)
          + film.part(90, length)
      },
      own: {
        film.part(0, 90) + SyntheticSound.film(seconds: 50, seed: 80).part(5, 50)
          + film.part(90, length)
      },
      expectation: .aligned([
        P(start: 0, end: 90, offset: 0), P(start: 120, end: length + 30, offset: 15),
      ])),
    CopyPair(
      name: "silence at the start", own: { .silence(30) + film },
      expectation: .aligned([P(start: 0, end: length, offset: 30)])),
    CopyPair(
      name: "a short film", party: { film.part(0, 60) }, own: { film.part(5, 60) },
      expectation: .aligned([P(start: 5, end: 60, offset: -5)])),
  ]

  static let rates: [CopyPair] = [
    CopyPair(
      name: "24 to 25 with the pitch",
      arguments: [
        "-af", "aresample=48000,asetrate=50000,aresample=48000", "-c:a", "aac", "-aac_coder",
        "fast",
      ],
      expectation: .aligned([P(start: 0, end: length, offset: 0)], scale: 24.0 / 25)),
    CopyPair(
      name: "24 to 25 without the pitch",
      arguments: ["-af", "atempo=25/24", "-c:a", "aac", "-aac_coder", "fast"],
      expectation: .aligned(
        [P(start: 0, end: length, offset: 0)], scale: 24.0 / 25, within: 0.040)),
    CopyPair(
      name: "25 to 24",
      arguments: [
        "-af", "aresample=48000,asetrate=46080,aresample=48000", "-c:a", "aac", "-aac_coder",
        "fast",
      ],
      expectation: .aligned([P(start: 0, end: length, offset: 0)], scale: 25.0 / 24)),
    CopyPair(
      name: "24 to 23.976",
      arguments: ["-af", "aresample=48048,asetrate=48000", "-c:a", "aac", "-aac_coder", "fast"],
      expectation: .aligned([P(start: 0, end: length, offset: 0)], scale: 1001.0 / 1000)),
    CopyPair(
      name: "23.976 to 24",
      arguments: [
        "-af", "aresample=48000,asetrate=48048,aresample=48000", "-c:a", "aac", "-aac_coder",
        "fast",
      ],
      expectation: .aligned([P(start: 0, end: length, offset: 0)], scale: 1000.0 / 1001)),
    CopyPair(
      name: "25 to 23.976",
      arguments: ["-af", "aresample=50050,asetrate=48000", "-c:a", "aac", "-aac_coder", "fast"],
      expectation: .aligned(
        [P(start: 0, end: length, offset: 0)], scale: 25.0 / 24 * 1001 / 1000)),
    CopyPair(
      name: "24 to 25 with an intro",
      own: { SyntheticSound.film(seconds: 10, seed: 77) + film },
      arguments: [
        "-af", "aresample=48000,asetrate=50000,aresample=48000", "-c:a", "aac", "-aac_coder",
        "fast",
      ],
      expectation: .aligned([P(start: 0, end: length, offset: 9.6)], scale: 24.0 / 25)),
  ]

  private static func dub(_ gain: Float) -> CopyPair {
    CopyPair(
      name: "another language, \(gain)",
      party: { SyntheticSound.film(seconds: length, seed: 1, speechGain: gain) },
      own: {
        SyntheticSound.film(seconds: 8, seed: 77)
          + SyntheticSound.film(seconds: length, seed: 1, speechSeed: 99, speechGain: gain)
      },
      expectation: .aligned([P(start: 0, end: length, offset: 8)], within: 0.040))
  }

  private static let loop = SyntheticSound.music(seconds: 30, seed: 40)
  private static let beat: [Float] = {
    let bar = SyntheticSound.music(seconds: 2, seed: 42)
    return (0..<90).flatMap { _ in bar }
  }()

  private static let everything = CopyPair(
    name: "another language, an intro, a cut and another rate",
    own: {
      let other = SyntheticSound.film(seconds: length, seed: 1, speechSeed: 99)
      return SyntheticSound.film(seconds: 12.5, seed: 77) + other.part(0, 90)
        + other.part(130, length)
    },
    arguments: ["-af", "aresample=48000,asetrate=50000,aresample=48000"] + aac,
    expectation: .aligned(
      [P(start: 0, end: 90, offset: 12), P(start: 130, end: length, offset: -26.4)],
      scale: 24.0 / 25, within: 0.040))

  private static let drifting = CopyPair(
    name: "a drift of 300 ppm",
    arguments: ["-af", "aresample=1000300,asetrate=1000000,aresample=48000"] + aac,
    expectation: .aligned([P(start: 0, end: length, offset: 0)], scale: 1.0003))

  static let difficult: [CopyPair] =
    [0.3, 0.6, 1, 1.5, 3].map(dub) + [
      drifting, everything,
      CopyPair(
        name: "repeated music",
        party: {
          loop + film.part(0, 40) + loop + film.part(40, 70) + loop + loop + film.part(70, 120)
        },
        own: {
          film.part(200, 215) + loop + film.part(0, 40) + loop + film.part(40, 70) + loop + loop
            + film.part(70, 120)
        },
        expectation: .aligned([P(start: 0, end: 240, offset: 15)])),
    ]

  private static let jingle = SyntheticSound.film(seconds: 20, seed: 50)

  static let others: [CopyPair] = [
    CopyPair(
      name: "another film", own: { SyntheticSound.film(seconds: length, seed: 2) },
      expectation: .refused),
    CopyPair(
      name: "another film with the same jingle", party: { jingle + film },
      own: { jingle + SyntheticSound.film(seconds: 200, seed: 3) }, expectation: .refused),
    CopyPair(name: "silence", own: { .silence(length) }, expectation: .refused),
    CopyPair(
      name: "a tone",
      party: { (0..<3_840_000).map { 0.3 * sinf(Float($0 % 16_000) * 2 * .pi * 440 / 16_000) } },
      own: { (0..<3_000_000).map { 0.3 * sinf(Float($0 % 16_000) * 2 * .pi * 440 / 16_000) } },
      expectation: .refused),
    CopyPair(
      name: "music with a period", party: { beat }, own: { Array(beat.dropFirst(21_000)) },
      expectation: .refused),
    CopyPair(name: "some seconds", own: { film.part(0, 6) }, expectation: .refused),
    CopyPair(
      name: "another film's speech alone",
      party: { SyntheticSound.speech(seconds: length, seed: 60) },
      own: { SyntheticSound.speech(seconds: length, seed: 61) }, expectation: .refused),
  ]
}
