-- Matches of many cases, each of which is a branch.
-- ==
-- entry: numbers
-- input { 0u8 } output { 7i32 14.0 }
-- input { 17u8 } output { 126i32 252.0 }
-- input { 100u8 } output { 707i32 1414.0 }
-- input { 255u8 } output { 1792i32 3584.0 }
def f (x: u8): i32 =
  match x
  case 0 -> 7 case 1 -> 14 case 2 -> 21 case 3 -> 28 case 4 -> 35 case 5 -> 42 case 6 -> 49 case 7 -> 56
  case 8 -> 63 case 9 -> 70 case 10 -> 77 case 11 -> 84 case 12 -> 91 case 13 -> 98 case 14 -> 105 case 15 -> 112
  case 16 -> 119 case 17 -> 126 case 18 -> 133 case 19 -> 140 case 20 -> 147 case 21 -> 154 case 22 -> 161 case 23 -> 168
  case 24 -> 175 case 25 -> 182 case 26 -> 189 case 27 -> 196 case 28 -> 203 case 29 -> 210 case 30 -> 217 case 31 -> 224
  case 32 -> 231 case 33 -> 238 case 34 -> 245 case 35 -> 252 case 36 -> 259 case 37 -> 266 case 38 -> 273 case 39 -> 280
  case 40 -> 287 case 41 -> 294 case 42 -> 301 case 43 -> 308 case 44 -> 315 case 45 -> 322 case 46 -> 329 case 47 -> 336
  case 48 -> 343 case 49 -> 350 case 50 -> 357 case 51 -> 364 case 52 -> 371 case 53 -> 378 case 54 -> 385 case 55 -> 392
  case 56 -> 399 case 57 -> 406 case 58 -> 413 case 59 -> 420 case 60 -> 427 case 61 -> 434 case 62 -> 441 case 63 -> 448
  case 64 -> 455 case 65 -> 462 case 66 -> 469 case 67 -> 476 case 68 -> 483 case 69 -> 490 case 70 -> 497 case 71 -> 504
  case 72 -> 511 case 73 -> 518 case 74 -> 525 case 75 -> 532 case 76 -> 539 case 77 -> 546 case 78 -> 553 case 79 -> 560
  case 80 -> 567 case 81 -> 574 case 82 -> 581 case 83 -> 588 case 84 -> 595 case 85 -> 602 case 86 -> 609 case 87 -> 616
  case 88 -> 623 case 89 -> 630 case 90 -> 637 case 91 -> 644 case 92 -> 651 case 93 -> 658 case 94 -> 665 case 95 -> 672
  case 96 -> 679 case 97 -> 686 case 98 -> 693 case 99 -> 700 case 100 -> 707 case 101 -> 714 case 102 -> 721 case 103 -> 728
  case 104 -> 735 case 105 -> 742 case 106 -> 749 case 107 -> 756 case 108 -> 763 case 109 -> 770 case 110 -> 777 case 111 -> 784
  case 112 -> 791 case 113 -> 798 case 114 -> 805 case 115 -> 812 case 116 -> 819 case 117 -> 826 case 118 -> 833 case 119 -> 840
  case 120 -> 847 case 121 -> 854 case 122 -> 861 case 123 -> 868 case 124 -> 875 case 125 -> 882 case 126 -> 889 case 127 -> 896
  case 128 -> 903 case 129 -> 910 case 130 -> 917 case 131 -> 924 case 132 -> 931 case 133 -> 938 case 134 -> 945 case 135 -> 952
  case 136 -> 959 case 137 -> 966 case 138 -> 973 case 139 -> 980 case 140 -> 987 case 141 -> 994 case 142 -> 1001 case 143 -> 1008
  case 144 -> 1015 case 145 -> 1022 case 146 -> 1029 case 147 -> 1036 case 148 -> 1043 case 149 -> 1050 case 150 -> 1057 case 151 -> 1064
  case 152 -> 1071 case 153 -> 1078 case 154 -> 1085 case 155 -> 1092 case 156 -> 1099 case 157 -> 1106 case 158 -> 1113 case 159 -> 1120
  case 160 -> 1127 case 161 -> 1134 case 162 -> 1141 case 163 -> 1148 case 164 -> 1155 case 165 -> 1162 case 166 -> 1169 case 167 -> 1176
  case 168 -> 1183 case 169 -> 1190 case 170 -> 1197 case 171 -> 1204 case 172 -> 1211 case 173 -> 1218 case 174 -> 1225 case 175 -> 1232
  case 176 -> 1239 case 177 -> 1246 case 178 -> 1253 case 179 -> 1260 case 180 -> 1267 case 181 -> 1274 case 182 -> 1281 case 183 -> 1288
  case 184 -> 1295 case 185 -> 1302 case 186 -> 1309 case 187 -> 1316 case 188 -> 1323 case 189 -> 1330 case 190 -> 1337 case 191 -> 1344
  case 192 -> 1351 case 193 -> 1358 case 194 -> 1365 case 195 -> 1372 case 196 -> 1379 case 197 -> 1386 case 198 -> 1393 case 199 -> 1400
  case 200 -> 1407 case 201 -> 1414 case 202 -> 1421 case 203 -> 1428 case 204 -> 1435 case 205 -> 1442 case 206 -> 1449 case 207 -> 1456
  case 208 -> 1463 case 209 -> 1470 case 210 -> 1477 case 211 -> 1484 case 212 -> 1491 case 213 -> 1498 case 214 -> 1505 case 215 -> 1512
  case 216 -> 1519 case 217 -> 1526 case 218 -> 1533 case 219 -> 1540 case 220 -> 1547 case 221 -> 1554 case 222 -> 1561 case 223 -> 1568
  case 224 -> 1575 case 225 -> 1582 case 226 -> 1589 case 227 -> 1596 case 228 -> 1603 case 229 -> 1610 case 230 -> 1617 case 231 -> 1624
  case 232 -> 1631 case 233 -> 1638 case 234 -> 1645 case 235 -> 1652 case 236 -> 1659 case 237 -> 1666 case 238 -> 1673 case 239 -> 1680
  case 240 -> 1687 case 241 -> 1694 case 242 -> 1701 case 243 -> 1708 case 244 -> 1715 case 245 -> 1722 case 246 -> 1729 case 247 -> 1736
  case 248 -> 1743 case 249 -> 1750 case 250 -> 1757 case 251 -> 1764 case 252 -> 1771 case 253 -> 1778 case 254 -> 1785 case 255 -> 1792
def g (x: u8) (y: f64): f64 =
  match (x, y)
  case (0, _) -> y * 7
  case (1, z) -> z * 14 case (2, z) -> z * 21 case (3, z) -> z * 28 case (4, z) -> z * 35 case (5, z) -> z * 42
  case (6, z) -> z * 49 case (7, z) -> z * 56 case (8, z) -> z * 63 case (9, z) -> z * 70 case (10, z) -> z * 77
  case (11, z) -> z * 84 case (12, z) -> z * 91 case (13, z) -> z * 98 case (14, z) -> z * 105 case (15, z) -> z * 112
  case (16, z) -> z * 119 case (17, z) -> z * 126 case (18, z) -> z * 133 case (19, z) -> z * 140 case (20, z) -> z * 147
  case (21, z) -> z * 154 case (22, z) -> z * 161 case (23, z) -> z * 168 case (24, z) -> z * 175 case (25, z) -> z * 182
  case (26, z) -> z * 189 case (27, z) -> z * 196 case (28, z) -> z * 203 case (29, z) -> z * 210 case (30, z) -> z * 217
  case (31, z) -> z * 224 case (32, z) -> z * 231 case (33, z) -> z * 238 case (34, z) -> z * 245 case (35, z) -> z * 252
  case (36, z) -> z * 259 case (37, z) -> z * 266 case (38, z) -> z * 273 case (39, z) -> z * 280 case (40, z) -> z * 287
  case (41, z) -> z * 294 case (42, z) -> z * 301 case (43, z) -> z * 308 case (44, z) -> z * 315 case (45, z) -> z * 322
  case (46, z) -> z * 329 case (47, z) -> z * 336 case (48, z) -> z * 343 case (49, z) -> z * 350 case (50, z) -> z * 357
  case (51, z) -> z * 364 case (52, z) -> z * 371 case (53, z) -> z * 378 case (54, z) -> z * 385 case (55, z) -> z * 392
  case (56, z) -> z * 399 case (57, z) -> z * 406 case (58, z) -> z * 413 case (59, z) -> z * 420 case (60, z) -> z * 427
  case (61, z) -> z * 434 case (62, z) -> z * 441 case (63, z) -> z * 448 case (64, z) -> z * 455 case (65, z) -> z * 462
  case (66, z) -> z * 469 case (67, z) -> z * 476 case (68, z) -> z * 483 case (69, z) -> z * 490 case (70, z) -> z * 497
  case (71, z) -> z * 504 case (72, z) -> z * 511 case (73, z) -> z * 518 case (74, z) -> z * 525 case (75, z) -> z * 532
  case (76, z) -> z * 539 case (77, z) -> z * 546 case (78, z) -> z * 553 case (79, z) -> z * 560 case (80, z) -> z * 567
  case (81, z) -> z * 574 case (82, z) -> z * 581 case (83, z) -> z * 588 case (84, z) -> z * 595 case (85, z) -> z * 602
  case (86, z) -> z * 609 case (87, z) -> z * 616 case (88, z) -> z * 623 case (89, z) -> z * 630 case (90, z) -> z * 637
  case (91, z) -> z * 644 case (92, z) -> z * 651 case (93, z) -> z * 658 case (94, z) -> z * 665 case (95, z) -> z * 672
  case (96, z) -> z * 679 case (97, z) -> z * 686 case (98, z) -> z * 693 case (99, z) -> z * 700 case (100, z) -> z * 707
  case (101, z) -> z * 714 case (102, z) -> z * 721 case (103, z) -> z * 728 case (104, z) -> z * 735 case (105, z) -> z * 742
  case (106, z) -> z * 749 case (107, z) -> z * 756 case (108, z) -> z * 763 case (109, z) -> z * 770 case (110, z) -> z * 777
  case (111, z) -> z * 784 case (112, z) -> z * 791 case (113, z) -> z * 798 case (114, z) -> z * 805 case (115, z) -> z * 812
  case (116, z) -> z * 819 case (117, z) -> z * 826 case (118, z) -> z * 833 case (119, z) -> z * 840 case (120, z) -> z * 847
  case (121, z) -> z * 854 case (122, z) -> z * 861 case (123, z) -> z * 868 case (124, z) -> z * 875 case (125, z) -> z * 882
  case (126, z) -> z * 889 case (127, z) -> z * 896 case (128, z) -> z * 903 case (129, z) -> z * 910 case (130, z) -> z * 917
  case (131, z) -> z * 924 case (132, z) -> z * 931 case (133, z) -> z * 938 case (134, z) -> z * 945 case (135, z) -> z * 952
  case (136, z) -> z * 959 case (137, z) -> z * 966 case (138, z) -> z * 973 case (139, z) -> z * 980 case (140, z) -> z * 987
  case (141, z) -> z * 994 case (142, z) -> z * 1001 case (143, z) -> z * 1008 case (144, z) -> z * 1015 case (145, z) -> z * 1022
  case (146, z) -> z * 1029 case (147, z) -> z * 1036 case (148, z) -> z * 1043 case (149, z) -> z * 1050 case (150, z) -> z * 1057
  case (151, z) -> z * 1064 case (152, z) -> z * 1071 case (153, z) -> z * 1078 case (154, z) -> z * 1085 case (155, z) -> z * 1092
  case (156, z) -> z * 1099 case (157, z) -> z * 1106 case (158, z) -> z * 1113 case (159, z) -> z * 1120 case (160, z) -> z * 1127
  case (161, z) -> z * 1134 case (162, z) -> z * 1141 case (163, z) -> z * 1148 case (164, z) -> z * 1155 case (165, z) -> z * 1162
  case (166, z) -> z * 1169 case (167, z) -> z * 1176 case (168, z) -> z * 1183 case (169, z) -> z * 1190 case (170, z) -> z * 1197
  case (171, z) -> z * 1204 case (172, z) -> z * 1211 case (173, z) -> z * 1218 case (174, z) -> z * 1225 case (175, z) -> z * 1232
  case (176, z) -> z * 1239 case (177, z) -> z * 1246 case (178, z) -> z * 1253 case (179, z) -> z * 1260 case (180, z) -> z * 1267
  case (181, z) -> z * 1274 case (182, z) -> z * 1281 case (183, z) -> z * 1288 case (184, z) -> z * 1295 case (185, z) -> z * 1302
  case (186, z) -> z * 1309 case (187, z) -> z * 1316 case (188, z) -> z * 1323 case (189, z) -> z * 1330 case (190, z) -> z * 1337
  case (191, z) -> z * 1344 case (192, z) -> z * 1351 case (193, z) -> z * 1358 case (194, z) -> z * 1365 case (195, z) -> z * 1372
  case (196, z) -> z * 1379 case (197, z) -> z * 1386 case (198, z) -> z * 1393 case (199, z) -> z * 1400 case (200, z) -> z * 1407
  case (201, z) -> z * 1414 case (202, z) -> z * 1421 case (203, z) -> z * 1428 case (204, z) -> z * 1435 case (205, z) -> z * 1442
  case (206, z) -> z * 1449 case (207, z) -> z * 1456 case (208, z) -> z * 1463 case (209, z) -> z * 1470 case (210, z) -> z * 1477
  case (211, z) -> z * 1484 case (212, z) -> z * 1491 case (213, z) -> z * 1498 case (214, z) -> z * 1505 case (215, z) -> z * 1512
  case (216, z) -> z * 1519 case (217, z) -> z * 1526 case (218, z) -> z * 1533 case (219, z) -> z * 1540 case (220, z) -> z * 1547
  case (221, z) -> z * 1554 case (222, z) -> z * 1561 case (223, z) -> z * 1568 case (224, z) -> z * 1575 case (225, z) -> z * 1582
  case (226, z) -> z * 1589 case (227, z) -> z * 1596 case (228, z) -> z * 1603 case (229, z) -> z * 1610 case (230, z) -> z * 1617
  case (231, z) -> z * 1624 case (232, z) -> z * 1631 case (233, z) -> z * 1638 case (234, z) -> z * 1645 case (235, z) -> z * 1652
  case (236, z) -> z * 1659 case (237, z) -> z * 1666 case (238, z) -> z * 1673 case (239, z) -> z * 1680 case (240, z) -> z * 1687
  case (241, z) -> z * 1694 case (242, z) -> z * 1701 case (243, z) -> z * 1708 case (244, z) -> z * 1715 case (245, z) -> z * 1722
  case (246, z) -> z * 1729 case (247, z) -> z * 1736 case (248, z) -> z * 1743 case (249, z) -> z * 1750 case (250, z) -> z * 1757
  case (251, z) -> z * 1764 case (252, z) -> z * 1771 case (253, z) -> z * 1778 case (254, z) -> z * 1785
  case (_, z) -> z * 1792
entry numbers (x: u8) = (f x, jvp (g x) 3 2)
