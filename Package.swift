// swift-tools-version: 6.2
import PackageDescription

let networking = TargetDependencyCondition.when(traits: ["Networking"])
let program = TargetDependencyCondition.when(traits: ["Program"])
let sockets: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio", condition: networking),
  .product(name: "NIOPosix", package: "swift-nio", condition: networking),
  .product(name: "NIOSSL", package: "swift-nio-ssl", condition: networking),
  .product(name: "NIOTLS", package: "swift-nio", condition: networking),
]
let webSockets: [Target.Dependency] = [
  .product(name: "NIOHTTP1", package: "swift-nio", condition: networking),
  .product(name: "NIOWebSocket", package: "swift-nio", condition: networking),
]

let package = Package(
  name: "matinee",
  products: [
    .library(name: "Timekeeping", targets: ["Timekeeping"]),
    .library(name: "GroupActivities", targets: ["GroupActivities"]),
    .library(name: "GroupJournal", targets: ["GroupJournal"]),
    .library(name: "PlaybackCoordination", targets: ["PlaybackCoordination"]),
    .library(name: "CoordinatedPlayer", targets: ["CoordinatedPlayer"]),
    .library(name: "DrawTogether", targets: ["DrawTogether"]),
    .library(name: "WatchTogether", targets: ["WatchTogether"]),
    .library(name: "NowPlaying", targets: ["NowPlaying"]),
    .library(name: "NATSTransport", targets: ["NATSTransport"]),
    .library(name: "EmbeddedRelay", targets: ["Relay"]),
    .library(name: "PartyTesting", targets: ["PartyTesting"]),
    .executable(name: "matinee", targets: ["matinee"]),
  ],
  // An adopter of a library disables the default traits, and doesn't fetch what only the program needs.
  traits: [
    .default(enabledTraits: ["Program"]),
    .trait(
      name: "Networking",
      description: "NATSTransport and EmbeddedRelay: swift-log, swift-nio and swift-nio-ssl."),
    .trait(
      name: "Program", description: "The program and the tests: everything.",
      enabledTraits: ["Networking"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // The C libraries, each imported by exactly one Swift target.
    .systemLibrary(
      name: "CAVFormat", path: "Sources/C/CAVFormat",
      providers: [.apt(["libavformat-dev", "libswresample-dev", "libswscale-dev"])]),
    .systemLibrary(
      name: "CAvahi", path: "Sources/C/CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(name: "CEpoll", path: "Tests/CEpoll"),
    .systemLibrary(
      name: "CFriBidi", path: "Sources/C/CFriBidi", providers: [.apt(["libfribidi-dev"])]),
    .systemLibrary(
      name: "CGStreamer", path: "Sources/C/CGStreamer", providers: [.apt(["libgstreamer1.0-dev"])]),
    .systemLibrary(
      name: "CMiniUPnPc", path: "Sources/C/CMiniUPnPc", providers: [.apt(["libminiupnpc-dev"])]),
    .systemLibrary(
      name: "CNATPMP", path: "Sources/C/CNATPMP", providers: [.apt(["libnatpmp-dev"])]),
    .systemLibrary(name: "CMPV", path: "Sources/C/CMPV", providers: [.apt(["libmpv-dev"])]),
    .systemLibrary(
      name: "CNCurses", path: "Sources/C/CNCurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "CPulse", path: "Sources/C/CPulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(
      name: "CQREncode", path: "Sources/C/CQREncode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CThreads", path: "Sources/C/CThreads"),
    .systemLibrary(name: "CTimex", path: "Sources/C/CTimex"),
    .systemLibrary(name: "CSDBus", path: "Sources/C/CSDBus", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", providers: [.apt(["zlib1g-dev"])]),

    // What signal handlers do to give the terminal back: C, because Swift can't run there.
    .target(name: "CTerminalGuard", path: "Sources/C/CTerminalGuard"),
    // The page for friends with a browser. Only C embeds files without a cost in each build.
    .target(name: "CPage", path: "Sources/C/CPage"),
    // Replaces imported functions of a library: libavformat connects through these.
    .target(name: "CImports", path: "Sources/C/CImports"),
    .target(name: "CConnectGuard", dependencies: ["CImports"], path: "Sources/C/CConnectGuard"),

    // The pure middle: no terminal, no mpv, no broker.
    .target(name: "Timekeeping", dependencies: ["CTimex"]),
    // The networks from which an address can be used.
    .target(name: "Addresses"),
    // Names of files, whatever bytes they are.
    .target(name: "FileNames"),
    // Threads, waits, bounded queues, and hosts of state machines.
    .target(name: "Concurrency", dependencies: ["CThreads", "Timekeeping"]),
    .target(
      name: "GroupActivities",
      dependencies: [
        "Concurrency", "Timekeeping", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // Attachments of a session, on a public lane of it.
    .target(
      name: "GroupJournal",
      dependencies: [
        "Concurrency", "GroupActivities", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .target(
      name: "PlaybackCoordination",
      dependencies: [
        "Concurrency", "GroupActivities", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // What a party does beside watching, through the public API alone.
    .target(name: "DrawTogether", dependencies: ["GroupActivities", "Timekeeping"]),
    .target(name: "VoteTogether", dependencies: ["GroupActivities"]),
    // The films of parties: their identifiers and the list of films, for every player that joins.
    .target(
      name: "WatchTogether",
      dependencies: [
        "FileNames", "GroupActivities", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),

    // The decisions of one participant's program: no terminal, no mpv, no broker.
    .target(
      name: "Screening",
      dependencies: [
        "Addresses", "Concurrency", "DrawTogether", "GroupActivities", "PlaybackCoordination",
        "Timekeeping", "VoteTogether", "WatchTogether",
        .product(name: "DequeModule", package: "swift-collections"),
      ]),

    // The delay of a sound output, from a recording, and its sentences: no player, no sound server.
    .target(name: "Calibration", dependencies: ["Timekeeping"]),
    // The positions of one film in two copies of it, by their sound: no file, no player.
    .target(name: "SoundAlignment", dependencies: ["Calibration", "Timekeeping"]),

    // The part of NATS that parties use, for both ends of the wire: no socket.
    .target(
      name: "NATSProtocol", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
    // The edges.
    .target(
      name: "AVFormat",
      dependencies: ["CAVFormat", "CConnectGuard", "Concurrency", "FileNames", "Timekeeping"]),
    // The way to the servers of a film that somebody else chose.
    .target(
      name: "FilmProxy",
      dependencies: ["Concurrency"] + sockets),
    // The program's memory in SQLite, and the lists of it for a screen.
    .target(
      name: "MediaLibrary",
      dependencies: [
        "AVFormat", "Concurrency", "FileNames", "GroupActivities", "Screening", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift", condition: program),
      ]),
    .target(
      name: "MPVPlayer",
      dependencies: [
        "AVFormat", "CMPV", "Concurrency", "FileNames", "PlaybackCoordination", "Timekeeping",
      ]),
    // A player on libmpv that a program drives like AVPlayer.
    .target(
      name: "CoordinatedPlayer",
      dependencies: [
        "AVFormat", "GroupActivities", "MPVPlayer", "PlaybackCoordination", "Timekeeping",
      ]),
    .target(
      name: "SoundCapture", dependencies: ["CPulse", "Calibration", "Concurrency", "Timekeeping"]),
    // The run of a calibration: a player, a microphone, and with two machines their party.
    .target(
      name: "SpeakerCalibration",
      dependencies: [
        "Calibration", "GroupActivities", "MPVPlayer", "Screening", "SoundCapture", "Timekeeping",
      ]),
    .target(name: "NowPlaying", dependencies: ["CSDBus", "Concurrency", "Timekeeping"]),
    // Pictures as cells, and how many of them a terminal takes: no terminal, no mpv.
    .target(
      name: "TerminalVideo",
      dependencies: [
        "CZlib", "Timekeeping", .product(name: "DequeModule", package: "swift-collections"),
      ]),
    .target(
      name: "TerminalUI",
      dependencies: [
        "CFriBidi", "CNCurses", "CQREncode", "CTerminalGuard", "Concurrency", "Screening",
        "TerminalVideo", "Timekeeping",
      ]),
    // The checks of the machine that `matinee doctor` makes, and their report.
    .target(
      name: "Doctor",
      dependencies: ["Concurrency", "GroupActivities", "MPVPlayer", "Reachability", "TerminalUI"]),
    .target(
      name: "NATSTransport",
      dependencies: [
        "Concurrency", "GroupActivities", "NATSProtocol", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log", condition: networking),
      ] + sockets + webSockets),
    .target(
      name: "Relay",
      dependencies: [
        "Concurrency", "GroupActivities", "NATSProtocol", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log", condition: networking),
      ] + sockets + webSockets),
    .target(
      name: "Reachability",
      dependencies: [
        "Addresses", "CAvahi", "CMiniUPnPc", "CNATPMP", "Concurrency", "Timekeeping",
      ]),

    // A whole party in one process.
    .target(name: "PartyTesting", dependencies: ["GroupActivities", "Timekeeping"]),

    // Friends without Matinee: each is an ordinary participant in a member's program.
    .target(
      name: "Doors",
      dependencies: [
        "AVFormat", "CPage", "Concurrency", "GroupActivities", "PlaybackCoordination", "Screening",
        "Timekeeping", "VoteTogether", "WatchTogether",
        .product(name: "Crypto", package: "swift-crypto"),
      ] + sockets,
      exclude: ["Page"]),

    // Programs of others that join Matinee's parties. The articles quote them, and the tests run them.
    .executableTarget(
      name: "GStreamerPlayer",
      dependencies: [
        "CGStreamer", "GroupActivities", "NATSTransport", "PlaybackCoordination", "Timekeeping",
        "WatchTogether",
      ],
      path: "Sources/Examples/GStreamerPlayer"),
    .executableTarget(
      name: "FilmNight",
      dependencies: [
        "CoordinatedPlayer", "GroupActivities", "NATSTransport", "PlaybackCoordination",
        "Timekeeping", "WatchTogether",
      ],
      path: "Sources/Examples/FilmNight"),
    .executableTarget(
      name: "MultiviewCinema",
      dependencies: [
        "CoordinatedPlayer", "GroupActivities", "NATSTransport", "NowPlaying",
        "PlaybackCoordination", "Timekeeping", "WatchTogether",
      ],
      path: "Sources/Examples/MultiviewCinema"),
    .executableTarget(
      name: "Sketchpad", dependencies: ["GroupActivities", "NATSTransport"],
      path: "Sources/Examples/Sketchpad"),
    .executableTarget(
      name: "PartyBot",
      dependencies: [
        "GroupActivities", "NATSTransport", "PlaybackCoordination", "Timekeeping", "WatchTogether",
      ],
      path: "Sources/Examples/PartyBot"),

    // One program without its faces: the loop, the adapters that perform its effects, and what they host.
    .target(
      name: "MatineeKit",
      dependencies: [
        "AVFormat", "Addresses", "Concurrency", "Doors", "DrawTogether", "FileNames", "FilmProxy",
        "GroupActivities", "GroupJournal", "MPVPlayer", "MediaLibrary", "NATSProtocol",
        "NATSTransport",
        "PlaybackCoordination", "Reachability", "Relay", "Screening", "SoundAlignment",
        "SoundCapture",
        "Timekeeping", "VoteTogether", "WatchTogether",
        .product(name: "Logging", package: "swift-log", condition: networking),
      ]),
    // The faces that people and programs see: the terminal, mpv's window, lines for scripts, the desktop.
    .target(
      name: "Faces",
      dependencies: [
        "AVFormat", "Concurrency", "FileNames", "GroupActivities", "MPVPlayer", "MatineeKit",
        "MediaLibrary", "NowPlaying", "PlaybackCoordination", "Screening", "TerminalUI",
        "TerminalVideo", "Timekeeping", "WatchTogether",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
      ]),
    // Commands, settings and signals.
    .target(
      name: "MatineeCommands",
      dependencies: [
        "AVFormat", "Addresses", "Calibration", "Concurrency", "Doctor", "Doors", "Faces",
        "FileNames",
        "GroupActivities", "MPVPlayer", "MatineeKit", "MediaLibrary", "NATSProtocol",
        "NATSTransport",
        "PlaybackCoordination", "Reachability", "Relay", "Screening", "SoundCapture",
        "SpeakerCalibration", "TerminalUI", "TerminalVideo", "Timekeeping", "WatchTogether",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
        .product(name: "Logging", package: "swift-log", condition: networking),
      ]),
    .executableTarget(
      name: "matinee", dependencies: ["MatineeCommands"],
      // What `make install` copies beside the program.
      exclude: ["Installation"]),

    // The examples of the libraries' articles, which quote these files.
    .testTarget(
      name: "ArticleTests",
      dependencies: [
        "CoordinatedPlayer", "GroupActivities", "GroupJournal", "NATSTransport", "NowPlaying",
        "PartyTesting", "PlaybackCoordination", "Reachability", "Timekeeping", "WatchTogether",
      ]),

    // Tests, and what they drive. The simulator runs whole groups in one process, on virtual time.
    .target(
      name: "GroupSimulation",
      dependencies: [
        "Concurrency", "GroupActivities", "PlaybackCoordination", "Screening", "Timekeeping",
        "WatchTogether",
      ],
      path: "Tests/GroupSimulation"),
    .executableTarget(
      name: "Soak",
      dependencies: [
        "GroupSimulation",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
      ],
      path: "Tests/Soak"),
    .executableTarget(
      name: "CostBench",
      dependencies: [
        "GroupActivities", "GroupSimulation", "NATSTransport", "Relay", "Timekeeping",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
        .product(name: "Logging", package: "swift-log", condition: networking),
      ],
      path: "Tests/CostBench"),
    .testTarget(
      name: "DrawTogetherTests",
      dependencies: ["DrawTogether", "GroupActivities", "PartyTesting", "Timekeeping"]),
    .testTarget(
      name: "VoteTogetherTests", dependencies: ["GroupActivities", "PartyTesting", "VoteTogether"]),
    .testTarget(
      name: "AVFormatTests", dependencies: ["AVFormat", "ProcessTesting", "Timekeeping"]),
    .testTarget(
      name: "MediaLibraryTests",
      dependencies: [
        "AVFormat", "MediaLibrary", "Timekeeping", "WatchTogether",
        .product(name: "GRDB", package: "GRDB.swift", condition: program),
      ]),
    .testTarget(
      name: "FilmProxyTests", dependencies: ["BrokerTesting", "FilmProxy", "ProcessTesting"]),
    .testTarget(
      name: "ScreeningTests",
      dependencies: [
        "DrawTogether", "GroupActivities", "GroupSimulation", "PlaybackCoordination", "Screening",
        "Timekeeping", "VoteTogether", "WatchTogether",
      ], exclude: ["Golden"]),
    .testTarget(
      name: "WatchTogetherTests", dependencies: ["GroupActivities", "Timekeeping", "WatchTogether"]),
    .testTarget(
      name: "CalibrationTests",
      dependencies: ["Calibration", "MPVPlayer", "SpeakerCalibration", "Timekeeping"]),
    .testTarget(
      name: "SoundCaptureTests",
      dependencies: ["Concurrency", "ProcessTesting", "SoundCapture", "Timekeeping"]),
    .testTarget(
      name: "SoundAlignmentTests",
      dependencies: ["AVFormat", "ProcessTesting", "SoundAlignment", "Timekeeping"]),
    .testTarget(
      name: "DoctorTests", dependencies: ["Doctor", "MPVPlayer", "ProcessTesting", "TerminalUI"]),
    .testTarget(
      name: "ConcurrencyTests", dependencies: ["Concurrency", "ProcessTesting", "Timekeeping"]),
    .testTarget(
      name: "DoorsTests",
      dependencies: [
        "Doors", "GroupActivities", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(name: "FileNamesTests", dependencies: ["FileNames"]),
    .testTarget(name: "TimekeepingTests", dependencies: ["Timekeeping"]),
    .testTarget(
      name: "GroupActivitiesTests",
      dependencies: [
        "GroupActivities", "GroupJournal", "GroupSimulation", "HostileTesting", "PartyTesting",
        "PlaybackCoordination", "ProcessTesting", "SessionTesting", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "GroupJournalTests",
      dependencies: [
        "GroupActivities", "GroupJournal", "HostileTesting", "PartyTesting", "SessionTesting",
        "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "PlaybackCoordinationTests",
      dependencies: [
        "GroupActivities", "GroupSimulation", "PartyTesting", "PlaybackCoordination",
        "Timekeeping",
      ]),
    .executableTarget(
      name: "ScreenDemo",
      dependencies: ["Concurrency", "Screening", "TerminalUI", "TerminalVideo", "Timekeeping"],
      path: "Tests/ScreenDemo"),
    .testTarget(
      name: "TerminalUITests",
      dependencies: [
        "Concurrency", "ProcessTesting", "ScreenDemo", "Screening", "TerminalUI", "Timekeeping",
        "matinee",
      ]),
    .testTarget(
      name: "TerminalVideoTests", dependencies: ["CZlib", "TerminalVideo", "Timekeeping"]),
    .testTarget(
      name: "MatineeTests",
      dependencies: [
        "Concurrency", "DrawTogether", "Faces", "FileNames", "FilmProxy", "GroupActivities",
        "MPVPlayer", "MatineeCommands", "MatineeKit", "MediaLibrary", "NowPlaying",
        "PartyTesting", "PlaybackCoordination", "ProcessTesting", "Reachability", "Screening",
        "TerminalUI", "Timekeeping", "WatchTogether",
        .product(name: "GRDB", package: "GRDB.swift", condition: program),
      ]),
    .testTarget(
      name: "NowPlayingTests", dependencies: ["NowPlaying", "ProcessTesting", "Timekeeping"]),
    // The repository's rules about itself.
    .testTarget(name: "TidyTests", dependencies: ["ProcessTesting"]),
    .testTarget(name: "ReachabilityTests", dependencies: ["Addresses", "Reachability"]),
    .executableTarget(
      name: "PortMapperProbe", dependencies: ["Reachability"], path: "Tests/PortMapperProbe"),
    // Hostile bytes for every parser; with `make fuzz`, libFuzzer's.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "AVFormat", "BrokerTesting", "Doors", "DrawTogether", "FilmProxy", "GroupActivities",
        "GroupJournal",
        "MPVPlayer",
        "NATSProtocol", "NATSTransport",
        "PlaybackCoordination", "ProcessTesting", "Relay", "Screening", "TerminalUI",
        "Timekeeping", "WatchTogether", "Faces", "MatineeKit",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Tests/Fuzz", exclude: ["Corpus"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "BrokerTesting", "BrowserTesting", "CoordinatedPlayer", "FilmNight", "GStreamerPlayer",
        "GroupActivities",
        "HostileTesting",
        "MediaLibrary", "MultiviewCinema",
        "NATSTransport", "PartyBot", "PartyTesting", "PlaybackCoordination", "PortMapperProbe",
        "ProcessTesting", "Sketchpad", "TerminalUI", "Timekeeping", "WatchTogether",
        "MatineeCommands",
        "MatineeKit", "matinee",
      ]),
    // Guests that follow no rules.
    .target(
      name: "HostileTesting",
      dependencies: [
        "GroupActivities", "PartyTesting", "PlaybackCoordination", "Timekeeping",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Tests/HostileTesting"),
    // A few participants in one session, over a broker in memory.
    .target(
      name: "SessionTesting", dependencies: ["GroupActivities", "PartyTesting"],
      path: "Tests/SessionTesting"),
    .target(name: "ProcessTesting", path: "Tests/ProcessTesting"),
    // A real broker and plain sockets, for the tests of both ends of the wire.
    .target(
      name: "BrokerTesting",
      dependencies: [
        "GroupActivities", "NATSProtocol", "ProcessTesting",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Tests/BrokerTesting"),
    // Real browsers, for the tests of the page.
    .target(
      name: "BrowserTesting", dependencies: ["ProcessTesting"], path: "Tests/BrowserTesting"),
    .executableTarget(
      name: "BrowserBench",
      dependencies: [
        "BrowserTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
      ],
      path: "Tests/BrowserBench"),
    .testTarget(name: "BrowserTests", dependencies: ["BrowserTesting", "ProcessTesting"]),
    .testTarget(name: "NATSProtocolTests", dependencies: ["GroupActivities", "NATSProtocol"]),
    .testTarget(
      name: "RelayTests",
      dependencies: [
        "BrokerTesting", "Concurrency", "GroupActivities", "NATSProtocol", "ProcessTesting",
        "Relay", "Timekeeping",
        .product(name: "Logging", package: "swift-log", condition: networking),
      ]),
    .executableTarget(
      name: "RelayBench",
      dependencies: [
        "BrokerTesting", "CEpoll", "GroupActivities", "ProcessTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: program),
      ],
      path: "Tests/RelayBench"),
    .testTarget(
      name: "NATSTransportTests",
      dependencies: [
        "BrokerTesting", "GroupActivities", "NATSProtocol", "NATSTransport",
        "ProcessTesting",
        "Relay", "Timekeeping", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log", condition: networking),
      ]),
    .testTarget(
      name: "MPVPlayerTests",
      dependencies: [
        "Concurrency", "MPVPlayer", "PlaybackCoordination", "ProcessTesting", "Timekeeping",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// No warnings: a build that has one fails. System libraries take no Swift settings.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}

// `make test`: a debug build in which the machines, the relay and the simulator are optimized, since thousands of
// simulated groups take a tenth of the time then. Unsafe flags would keep the libraries from being anybody's
// dependency, so they are there for that command only.
if Context.environment["MATINEE_OPTIMIZED_TESTS"] != nil {
  // Whole modules: generic code of another file would not be specialized. With one thread there would be one object
  // file, but SwiftPM expects one for each source file.
  let optimized = ["-O", "-disable-batch-mode", "-wmo", "-num-threads", "2"]
  let machines: Set = [
    "Calibration", "CalibrationTests", "Concurrency", "DrawTogether", "GroupActivities",
    "GroupSimulation", "NATSProtocol", "PlaybackCoordination", "Relay", "Screening",
    "SoundAlignment", "SoundAlignmentTests", "TerminalVideo",
    "Timekeeping", "VoteTogether", "WatchTogether",
  ]
  for target in package.targets where machines.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(optimized)]
  }
}

// `make test FILTER=` with the names of test targets builds those and what they need: a change of one library reaches its
// tests in seconds.
if let names = Context.environment["MATINEE_TESTS"]?.split(separator: " "), !names.isEmpty {
  var kept: Set<String> = []
  var found = names.map(String.init)
  while let name = found.popLast() {
    guard kept.insert(name).inserted,
      let target = package.targets.first(where: { $0.name == name })
    else { continue }
    for case .byNameItem(let name, _) in target.dependencies { found.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
}
